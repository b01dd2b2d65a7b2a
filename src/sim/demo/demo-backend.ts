import { bytesOf } from '../../core/kube/quantity.ts';
import { listAt, textAt } from '../fields.ts';
import type { Backend } from '../controllers/backend.ts';
import { diskDriver } from './names.ts';

const tebibyte = 2 ** 40;
/** What GetCapacity and the CSIStorageCapacity objects of the demo report: 812Gi and 436Gi. */
const freeBytes = 1.2 * tebibyte;

const inTebibytes = (bytes: number): string => `${Number((bytes / tebibyte).toFixed(1))} TiB`;

/** The array behind the disks: a pool that is nearly full, of disks that one node at a time can use. */
export const demoBackend: Backend = {
  refusesVolume: (driver, claim) => {
    if (driver !== diskDriver) return undefined;
    const wanted = Number(bytesOf(textAt(claim, 'spec', 'resources', 'requests', 'storage')));
    if (wanted > freeBytes)
      return (
        `rpc error: code = ResourceExhausted desc = pool ssd-1 has ${inTebibytes(freeBytes)} free, ` +
        `${inTebibytes(wanted)} were requested`
      );
    if (listAt(claim, 'spec', 'accessModes').includes('ReadWriteMany'))
      return 'rpc error: code = InvalidArgument desc = a disk can be used on one node only, not with MULTI_NODE_MULTI_WRITER';
    return undefined;
  },
};
