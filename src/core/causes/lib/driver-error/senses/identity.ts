/** The session of a machine's own role is named after the instance; a role of a service account has other names. */
export const machineRoleText = /:assumed-role\/([\w+=,.@-]+)\/i-[0-9a-f]{8,17}\b/;
/** The account that Compute Engine gives to every machine. */
const machineAccountText = /\b(\d+-compute@developer\.gserviceaccount\.com)\b/;

/** The identity of the machine, which every pod there can use, if that is what the storage refused. */
export function machineIdentityIn(text: string): string | undefined {
  return (machineRoleText.exec(text) ?? machineAccountText.exec(text))?.[1];
}

interface EfsNames {
  readonly fileSystem: string | undefined;
  readonly region: string | undefined;
  readonly accessPoint: string | undefined;
}

/** What mount.efs names of a file system: its id and region in the DNS name, the access point among its arguments. */
export function efsNamesIn(text: string): EfsNames {
  return {
    fileSystem: /\b(fs-[0-9a-z]+)\.efs\./.exec(text)?.[1],
    region: /\.efs\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(text)?.[1],
    accessPoint: /\bfsap-[0-9a-z]+/.exec(text)?.[0],
  };
}
