/** The driver that the kubelet has no connection to. */
export const unregisteredDriverText = /driver name (\S+) not found/;

/** The kubelet or the attacher does not find the driver on the node. */
export const unregisteredTexts =
  /driver name (\S+) not found\s+in the list of registered CSI drivers|CSINode (\S+) does not contain driver (\S+)|has no (NodeID annotation)/;

/** pkg/volume/csi nodeinfomanager: a label of the node has another value. */
export const topologyCollisionText =
  /detected topology value collision: driver reported "([^"]+)":"([^"]+)" but existing label is "?([^"]*)"?/;

/** The driver gives no name to the node. */
export const nodeIdEmptyText = /driverNodeID must not be empty/;

/** The kubelet takes no older version of a driver, and no version that it does not know. */
export const versionConflictTexts =
  /Another driver with the same name is already registered with a higher supported version|None of the versions specified .* are supported/;

/** The kubelet could not write Node or CSINode. */
export const nodeUpdateTexts =
  /error updating (Node|CSINode) object with CSI driver node info|failed to update (Node|CSINode)/;

/** NodeGetInfo, which the kubelet calls, has failed. */
export const nodeInfoTexts = /(plugin registration failed with err|NodeGetInfo\(?\)?).*(rpc error|failed|error)/s;

/** What node-driver-registrar says of itself. */
export const registrarTail = /,? restarting registration container\.?\s*$/;
