// The rules about lost nodes that detach-reason.ts tries.
export { detachNodeNotReady } from './detach-node-not-ready.ts';
export { vaOrphanNodeDeleted } from './va-orphan-node-deleted.ts';
