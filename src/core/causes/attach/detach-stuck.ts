// The rules about stuck detaches that detach-reason.ts tries.
export { detachAttacherNotRunning } from './detach-attacher-not-running.ts';
export { detachRpcError } from './detach-rpc-error.ts';
export { detachVolumeInUse } from './detach-volume-in-use.ts';
