import { looksLikeCredential, namesCredential, redacted } from './credentials.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Variables that hold the addresses, identities and places of drivers and sidecars. */
const namingVariable =
  /(?:DRIVER|DRIVER_?NAME|PROVISIONER_?NAME|PLUGIN|PLUGIN_?NAME|NODE|NODE_?NAME|NODE_?ID|NAMESPACE)$/i;
const placingVariable = /(?:ADDRESS|ENDPOINT|SOCK|SOCKET|PATH|DIR|REGISTRATION\w*)$|^CSI_/i;

/**
 * Keeps the names of all variables, and a value only if its variable holds the place of a driver and it has the form of
 * a place.
 */
export function redactEnvironment(
  variables: readonly Fields[],
  onTaken: (name: string, value: string) => void,
): Fields[] {
  return variables
    .filter(({ name }) => typeof name !== 'string' || !looksLikeCredential(name))
    .map((variable) => {
      const { name, value, ...rest } = variable;
      if (typeof value !== 'string' || value === '') return variable;
      const label = typeof name === 'string' ? name : '';
      const isTold =
        (namingVariable.test(label) && isWord(value)) ||
        ((namingVariable.test(label) || placingVariable.test(label)) && (isPlace(value) || isDomain(value)));
      if (isTold && !namesCredential(label) && !looksLikeCredential(value)) return variable;
      onTaken(label, value);
      return { ...(name !== undefined && { name }), ...rest };
    });
}

/** Flags of sidecars and drivers whose values may be any word. */
const tellingFlags =
  /^(?:csi-address|endpoint|csi-endpoint|address|kubelet-registration-path|plugin-registration-path|drivername|driver-name|driver|name|provisioner|provisioner-name|plugin-name|nodeid|node-id|node-name|nodename|node|mode|leader-election\S*|feature-gates|volume-name-prefix|snapshot-name-prefix|default-fstype|kubelet-dir|capacity-ownerref-level)$/;

/** Keeps the flags of a command line, and those of their values that are clearly no secret. */
export function redactCommandLine(
  words: readonly string[],
  hasProgram: boolean,
  onTaken: (index: number, value: string, isCredential: boolean) => void,
): string[] {
  return words.map((word, index) => {
    const assigned = /^(--?[A-Za-z][\w.-]*)=(.*)$/s.exec(word);
    if (assigned !== null) {
      const [, flag = '', value = ''] = assigned;
      if (keepsValue(flag, value)) return word;
      onTaken(index, value, namesCredential(flag));
      return `${flag}=${redacted}`;
    }
    if (isFlag(word)) return word;
    const before = words[index - 1] ?? '';
    const flag = isFlag(before) ? before : '';
    if (keepsValue(flag, word) || (hasProgram && index === 0 && isProgram(word))) return word;
    return taken(index, word, flag !== '' && namesCredential(flag));
  });

  function taken(index: number, value: string, isCredential: boolean): string {
    onTaken(index, value, isCredential);
    return redacted;
  }
}

function keepsValue(flag: string, value: string): boolean {
  if (looksLikeCredential(value)) return false;
  const name = flag.replace(/^--?/, '');
  const pointsOnly = isPlace(value) || isSmall(value);
  if (name !== '' && namesCredential(name))
    return isSmall(value) || isVariable(value) || /(?:file|path|dir)$/.test(name);
  return pointsOnly || isDomain(value) || (tellingFlags.test(name) && (isWord(value) || isGates(value)));
}

/** `--leader-election`, `-v`, `-v5`, `-endpoint`; what follows a single letter may be its value. */
function isFlag(word: string): boolean {
  return /^(?:--[A-Za-z][\w.-]*|-[a-z][a-z-]*|-[A-Za-z]\d{0,2})$/.test(word) && !looksLikeCredential(word);
}

function isProgram(word: string): boolean {
  return /^[a-z][\w.+-]{0,39}$/i.test(word) && !looksLikeCredential(word);
}

/** A path, a socket or an address with a port, without a user, a query or blanks. */
function isPlace(value: string): boolean {
  if (isVariable(value)) return true;
  if (/[\s?@;|&<>`"']/.test(value)) return false;
  return (
    /^(?:unix:\/{0,3}|(?:tcp|dns|https?):\/\/)?(?:\/|\$\(|\.{0,2}\/|[A-Za-z]:\\)[\w./$(){}\\:*-]*$/.test(value) ||
    /^(?:(?:tcp|dns|https?):\/\/)[\w.$(){}:[\]/-]+$/.test(value) ||
    /^[\w.-]*:\d{2,5}$/.test(value)
  );
}

function isVariable(value: string): boolean {
  return /^\$[({]?[A-Za-z_]\w*[)}]?$/.test(value);
}

/** A number, a duration or a boolean. */
function isSmall(value: string): boolean {
  return /^(?:true|false|-?\d{1,9}(?:\.\d+)?(?:[KMGTP]i?|m|ms|s|h)?|(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+)$/.test(value);
}

/** Words with at least one dot between them, like the name of a driver. */
function isDomain(value: string): boolean {
  return value.length <= 63 && /^[a-z][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+$/.test(value);
}

function isWord(value: string): boolean {
  return /^[A-Za-z][\w./-]{0,62}$/.test(value);
}

function isGates(value: string): boolean {
  return /^[A-Za-z]+=(?:true|false)(?:,[A-Za-z]+=(?:true|false))*$/.test(value);
}
