/** objectstorage sidecar: the protocols of the class and those of the driver have none in common. */
export const protocolRefusedTexts =
  /driver "([^"]*)" does not support protocols: \[([^\]]*)\]|required protocols are not supported: \[([^\]]*)\]|supports no protocols/;
