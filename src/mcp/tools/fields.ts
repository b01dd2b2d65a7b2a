import { namespaceForm } from '../arguments.ts';

/** Arguments that several tools have. */
export const namespaceField = {
  type: 'text',
  description: 'Namespace to read. Unless given, that of the context.',
  form: namespaceForm,
} as const;

export const scopeFields = {
  namespace: namespaceField,
  all_namespaces: { type: 'switch', description: 'Read all namespaces instead of one.' },
  selector: { type: 'text', description: 'Only objects with these labels, such as app=web.' },
} as const;

export const manifestsField = {
  type: 'text',
  description: 'Kubernetes manifests as YAML or JSON text, several separated by ---. Nothing is applied.',
  mostCharacters: 1_000_000,
} as const;

export const detailsField = {
  type: 'switch',
  description: 'Everything in the text: all objects and evidence, however many there are.',
} as const;
