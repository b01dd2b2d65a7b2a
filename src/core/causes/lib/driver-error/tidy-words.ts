/** The AWS SDK names the call and the HTTP status before what happened. */
const awsCall =
  /operation error ([\w ]+): (\w+), (?:exceeded maximum number of attempts, \d+, )?https response error StatusCode: \d+, (?:RequestID: [^\s,]*, )?(?:api error )?/g;

/**
 * The API of Longhorn (rancher/go-rancher): `[code=…, detail=…, message=what happened] from [address]`, in any order.
 */
const rancherAnswer =
  /Bad response statusCode \[\d+\]\. Status \[[^\]]*\]\. Body: \[(?:\w+=[^,\]]*, )*?message=([^]*?)(?:, (?:code|detail|type)=[^\]]*)?\] from \[[^\]]*\]/g;

/** Output of a program inside JSON (democratic-csi), in which line ends are escaped. */
const programOutput = /\{[^{}]*"std(?:err|out)":"[^]*\}/;
const programWords = [/"stderr":"((?:[^"\\]|\\.)*[^"\\\s])/, /"stdout":"((?:[^"\\]|\\.)*[^"\\\s])/];

/** mount(8) is run by the driver: the command and its arguments say less than what it printed (k8s.io/mount-utils). */
const mountCommand = /^[^]*\bMounting command: [^]*?\bOutput: (?=\S)/;

/** Oracle and Alibaba Cloud put ids and links before the message. */
const oracleAnswer =
  /Error returned by [\w ]+ Service\. Http Status Code: \d+\. Error Code: (\w+)\. Opc request id: \S+ Message: ([^]*?)[\s.]*$/;
const alibabaAnswer =
  /SDK\.ServerError\s+ErrorCode: (\S+)\s+(?:Recommend: *(?!RequestId:)\S*\s+)?(?:Recommend:\s+)?RequestId: \S*\s+Message: ([^]*?)(?:\s+RespHeaders: map\[[^]*)?$/;

/** OpenEBS Mayastor prints its answer as a structure of Rust. */
const mayastorAnswer = /^[^]*RestJsonError \{ details: \\*"([^"\\]*)\\*",(?: message: \\*"([^"\\]+)\\*")?[^]*$/;

/** The vSphere driver names volume and machine twice. */
const vsphereCall = /^failed to attach disk: \\?"[^"]+" with node: \\?"[^"]+" err (?=failed to attach )/;

/** The vSphere driver prints where a machine is after its name. */
const machineDetails = /\b(VirtualMachine:vm-\d+) \[VirtualCenterHost: [^[\]]*(?:\[[^[\]]*\][^[\]]*)?\]/g;

/** vCenter returned a fault without any words, which the driver prints as a structure of Go. */
const emptyFault =
  /"?\(\*types\.LocalizedMethodFault\)\(0x[0-9a-f]+\)\(\{[^}]*\}[^}]*LocalizedMessage: \(string\) (?:\\*"){2}(?:\\n|\s)*\}\)(?:\\n|\s)*"?/g;

/** The Azure SDK puts what it thinks of retries before the answer, and the answer into JSON. */
const azureAnswer =
  /Retriable: (?:true|false), RetryAfter: \w+, HTTPStatusCode: \d+, RawError: (?:\{[^]*?"message": ?"((?:[^"\\]|\\.)+)"[^]*|(?=[^{\s]))/;

/** mount.cifs adds this to every error. */
const manualPage = /\s*Refer to the mount\.\w+\(8\) manual page[^]*$/;

/** amazon-efs-utils prints this after every error, also when it mounts. */
const efsNotice = /\s*Warning: config file does not have \w+ item in section [^]*$/;

/** PowerShell repeats the command between what happened and its id; line ends may be escaped. */
const powerShellEcho = /(?:\\r\\n|\s)*At line:\d+ char:\d+[^]*?\+ FullyQualifiedErrorId : ([^\\\r\n,"']+)[^]*$/;

/** IBM Cloud prints its answer as a structure, and a hint at another field of it after the message. */
const ibmAnswer =
  /\{RequestID: [^]*?Trace Code:[^,]*, ([^]*?)(?:\.? Please check 'BackendError' tag for more details)?\}*$/;

/** LINSTOR puts a headline before what happened. */
const linstorAnswer = /Message: '([^']+)'; (?:Cause: '[^']*'; )?Details: '/g;

/**
 * Storage systems that keep their volumes as objects of Kubernetes check them in webhooks of their own: these are words
 * of the storage.
 */
const ownWebhook =
  /admission webhook "[\w.-]*(?:longhorn|openebs|mayastor|linstor|piraeus|portworx|topolvm|hwameistor|storageos|trident|cubefs|juicefs)[\w.-]*" denied the request: /g;

export function withoutOwnWebhook(text: string): string {
  return text.replace(ownWebhook, '');
}

const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * An error without what only frames it, so that the words that matter come first and a short quote has room for them.
 */
export function tidyWords(text: string): string {
  const plain = text
    .replace(awsCall, '$1 $2: ')
    .replace(rancherAnswer, '$1')
    .replace(linstorAnswer, '$1; ')
    .replace(/(; [^']+)'\s*$/, '$1')
    .replace(mountCommand, '')
    .replace(mayastorAnswer, (_, details: string, message?: string) => details || (message ?? ''))
    .replace(emptyFault, 'no words')
    .replace(machineDetails, '$1')
    .replace(vsphereCall, '')
    .replace(manualPage, '')
    .replace(efsNotice, '')
    .replace(powerShellEcho, ' ($1)')
    .replace(ibmAnswer, '$1')
    .replace(azureAnswer, '$1')
    .replace(ownWebhook, '')
    .replace(oracleAnswer, '$1: $2')
    .replace(alibabaAnswer, '$1: $2');
  return withoutLooseEnd(plain.replace(programOutput, printedWords));
}

/** What the program printed as an error, else its other output. */
function printedWords(json: string): string {
  const said = programWords.map((pattern) => pattern.exec(json)?.[1]).find((words) => words?.trim());
  return (said ?? json)
    .replace(/(?:\\r)?\\n$/, '')
    .replace(/(?:\\r)?\\n/g, '; ')
    .trim();
}

/** Brackets that close at the end what a cut beginning opened. */
function withoutLooseEnd(text: string): string {
  const last = text.at(-1);
  const open = last === undefined ? undefined : closing[last];
  if (last === undefined || open === undefined || text.split(open).length >= text.split(last).length) return text;
  return withoutLooseEnd(text.slice(0, -1).trimEnd());
}
