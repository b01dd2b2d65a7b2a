/** OpenShift: no SecurityContextConstraints that the account of a pod may use allow what the pod asks for. */
export const securityContextText = /unable to validate against any security context constraint/i;
