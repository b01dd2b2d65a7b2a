import type { Fix } from '../../report/report.ts';
import { fix, shellWord } from '../../facts/evidence.ts';

/** Provisioner, parameters, binding mode and topologies of a class are immutable (ValidateStorageClassUpdate); volumes created with it do not depend on it any more. */
export function remakeClass(name: string, how: string): Fix {
  return fix(
    `save class ${name}, delete it and create it again ${how}, since a class cannot be changed: volumes made with it stay as they are, and the claim goes on by itself`,
    `kubectl get storageclass ${shellWord(name)} -o yaml > ${shellWord(`storageclass-${name}.yaml`)}`,
    'disruptive',
  );
}
