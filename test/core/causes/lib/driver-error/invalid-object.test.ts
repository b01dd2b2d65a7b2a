import { describe, expect, it } from 'vitest';
import { invalidObjectIn } from '../../../../../src/core/causes/lib/driver-error/invalid-object.ts';

describe('an object that the API server refused to save', () => {
  it.each([
    [
      'update: LVMVolume.local.openebs.io "pvc-1" is invalid: spec.vgPattern: Required value',
      { kind: 'LVMVolume', group: 'local.openebs.io', name: 'pvc-1', path: 'spec.vgPattern', isMissing: true },
    ],
    [
      'Volume.longhorn.io "pvc-2" is invalid: spec.size: Invalid value: "string": must be of type integer',
      { kind: 'Volume', group: 'longhorn.io', name: 'pvc-2', path: 'spec.size', isMissing: false },
    ],
    [
      'LogicalVolume.topolvm.io \\"lv-1\\" is invalid: [<nil>, spec.lvcreateOptionClass: Required value, spec.b: Required value]',
      { kind: 'LogicalVolume', group: 'topolvm.io', name: 'lv-1', path: 'spec.lvcreateOptionClass', isMissing: true },
    ],
  ])('is read from %s', (text, expected) => {
    expect(invalidObjectIn(text)).toMatchObject(expected);
  });

  it.each([
    'PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation',
    'volume "pvc-1" is invalid: size: Required value',
    'InvalidParameterValue: the parameter iops is invalid',
    'request is invalid: spec.size: Required value',
  ])('is not seen in %s', (text) => {
    expect(invalidObjectIn(text)).toBeUndefined();
  });
});
