/** CSI, GetPluginInfoResponse.name: at most 63, letters and digits at both ends, "-" and "." between. */
const specification = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Why the name cannot be used, as a half sentence. Kubernetes (ValidateCSIDriverName) is stricter than CSI: the name in
 * lower case has to be a DNS subdomain. csi-sanity is stricter still and refuses names that work.
 */
export function whyNameInvalid(name: string): string | undefined {
  if (Buffer.byteLength(name) > 63) return `"${name.slice(0, 80)}" is longer than 63 characters`;
  if (!specification.test(name))
    return `"${name}" must have only letters, digits, "-" and ".", and begin and end with a letter or digit`;
  if (
    !name
      .toLowerCase()
      .split('.')
      .every((part) => label.test(part))
  )
    return `"${name}" is not a DNS name, which Kubernetes requires`;
  return undefined;
}

/** The name of a CSIDriver object is lower case, so a driver with other letters cannot have one. */
export function remarkOnName(name: string): string[] {
  return name === name.toLowerCase()
    ? []
    : [`no CSIDriver object can have the name ${name}, because it has capital letters`];
}
