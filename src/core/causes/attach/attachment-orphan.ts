// The rules about left-over attachments that detach-reason.ts tries.
export { vaNodeGoneNoNodeId } from './va-node-gone-no-nodeid.ts';
export { vaOrphanAttachRequiredFalse } from './va-orphan-attachrequired-false.ts';
export { vaOrphanDriverGone } from './va-orphan-driver-gone.ts';
