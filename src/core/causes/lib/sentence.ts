/** The text with a full stop, unless it ends with one, also inside quotation marks. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]["')]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** `pvc/data in namespace shop` */
export function claimText({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `pvc/${name} in namespace ${namespace}`;
}
