import type { ErrorKind } from './error-kind.ts';

/** A well-known error of a cloud or a storage system, in plain words. */
export interface Sense {
  readonly about:
    | 'socket'
    | 'ghost'
    | 'throttling'
    | 'quota'
    | 'credentials'
    | 'key'
    | 'parameter'
    | 'missing'
    | 'shared'
    | 'service'
    | 'placement'
    | 'network'
    | 'slow';
  /** What it makes of the error where the code says no more than that something went wrong. */
  readonly kind?: ErrorKind;
  readonly meaning: string;
  readonly advice?: string;
  /** What shows more, beside the advice. */
  readonly command?: string;
}

/** A sense, and the words in the text that have it. */
export interface FoundSense extends Sense {
  readonly words: string;
}

/**
 * The first that fits counts: a quota of a cloud is refused with 403, and a request limit is no volume limit. `$1` and `$2` stand for
 * what the pattern caught.
 */
const senses: readonly (Sense & { readonly pattern: RegExp })[] = [
  {
    about: 'socket',
    pattern: /dial unix \S*sock|connect(?:ion)? .{0,40}csi\.sock/i,
    meaning: 'the provisioner cannot reach the socket of the driver beside it',
    advice: 'see whether the driver container runs and serves its socket',
  },
  {
    about: 'ghost',
    pattern: /failed to get an available volume in EC2|InvalidVolume\.NotFound/,
    meaning:
      'EC2 took the request and dropped the new volume again, which it does when the role of the driver may not use the KMS key',
    advice:
      'let the role of the driver use the KMS key (kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKey*)',
  },
  {
    about: 'throttling',
    kind: 'background',
    pattern:
      /RequestLimitExceeded|Throttl(?:ing|ed)|Too ?Many ?Requests|(?:rate|request) ?limit ?(?:has been |was |is )?(?:exceeded|reached|hit)|rateLimitExceeded|userRateLimit|SlowDown\b|(?:error|status ?code|http\w*)\W{0,5}429\b/i,
    meaning: 'the storage API turns requests away because there are too many of them',
    advice: 'wait, or spread the load: the call is repeated by itself',
  },
  {
    about: 'quota',
    kind: 'exhausted',
    pattern:
      /\w*LimitExceeded\b|limit exceeded|OverQuota|Quota\w*[ '_A-Z0-9:()-]{0,60}(?:is |was |has been )?exceeded|exceed\w*(?: \S+){0,5} quota|InsufficientQuota|out of (?:capacity|space|disk)|insufficient (?:free |disk |storage |available )*(?:capacity|space|storage|resources|disk)|Insufficient\w*Capacity|no space left|not? enough (?:free |disk |available |storage )*(?:space|capacity|storage)|ENOSPC|(?:disk|pool|volume group|aggregate|datastore)\b.{0,40} (?:is )?full\b|RESOURCE_POOL_EXHAUSTED|stockout|exceeds? (?:the )?(?:remaining|available|free|total) (?:capacity|space)|maximum number of (?:volumes|disks|shares)|max(?:imum)? volumes? .{0,30}reached|(?<!\b(?:retry|retries|time|timeout|attempts?) )\blimit (?:\(?\d+\)? )?(?:(?:has|have) been |was |is )?(?:reached|hit)\b|reached (?:the|your|its|our) (?:\w+ ){0,4}(?:limit|quota|maximum)\b/i,
    meaning: 'the storage is full or a quota is used up',
  },
  {
    about: 'placement',
    kind: 'exhausted',
    pattern:
      /(?:\bnot|(?:\bnot|n't|unable to|failed to) find) enough (?:(?:available|free|eligible|healthy|suitable|online|storage) )*(?:nodes|disks|pools|devices|hosts|servers)\b/i,
    meaning: 'too few nodes, disks or pools of the storage can take the volume',
    advice: 'see which nodes and pools the storage has, which of them are up, and how much is free there',
  },
  {
    about: 'key',
    pattern: /KMSKey|KMS key|DiskEncryptionSet|encryption key|InvalidKmsKey/i,
    meaning: 'the encryption key is missing, disabled, or may not be used by the driver',
    advice: 'check the key that the class names, and who may use it',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: /\b(?:mkdir|chmod|chown) \/\S+: permission denied/i,
    meaning:
      'it may not write in the directory for its volumes: an NFS export turns root into nobody, or the directory belongs to somebody else',
    advice: 'let the provisioner write there: see owner and mode of the directory, and no_root_squash on an NFS server',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern:
      /Access ?(?:is |was |has been )?Denied|UnauthorizedOperation|\bUnauthorized\b|NoPermission|not (?:been )?authorized|(?:not|n't) have (?:the )?(?:\w+ )?(?:permission|authorization)|AuthorizationFailed|AuthFailure|InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken|expired (?:token|credential)|(?:token|credentials?|certificate|secret|password)\b.{0,40}\bexpired|(?:Invalid|Expired)AuthenticationToken|NoCredentialProviders|no (?:valid )?credentials?\b|failed to (?:refresh|get|retrieve|load|fetch) (?:the |cached |new )*(?:token|credentials?)|IMDS role|Identity not found|AADSTS\d+|invalid_(?:client|grant)|permission denied|PERMISSION_DENIED|permission to .{0,60} denied|operation not permitted(?! (?:for|on|by|in|with|while|when)\b)|insufficient (?:permissions?|privileges|authentication)|required '[^']+' permission|authentication (?:failed|required|failure|error)|login (?:failed|incorrect)|(?:unable to|failed to|could ?(?:not|n't)|cannot|can't) (?:authenticate|log ?in)\b|not (?:been )?authenticated|\b403 Forbidden\b|(?:user ?name|password|token|credentials?|api ?key|secret key|access key)\b.{0,20} (?:is|are|was|were) (?:invalid|incorrect|wrong|not valid|rejected)|(?:invalid|wrong|bad|incorrect) (?:username|user name|login|credentials?|password|api ?key|token)|(?:error|status ?code|http\w*)\W{0,5}40[13]\b/i,
    meaning: 'the storage refuses the credentials or the rights of the driver',
  },
  {
    about: 'shared',
    pattern: /no (?:compatible|shared) datastores?|shared datastores?/i,
    meaning: 'no datastore fits the storage policy and can be reached from all nodes',
    advice: 'use a policy with a datastore that all hosts share, or set the topology up',
  },
  // nfs-server-provisioner getServer: it gives volumes the address of a Service before itself, of which it is told the name.
  {
    about: 'service',
    pattern: /error getting service SERVICE_NAME=([\w.-]+) in namespace POD_NAMESPACE=([\w.-]+)/,
    meaning:
      'its own Service $1 in namespace $2, which its variable SERVICE_NAME names, does not exist, or it may not read it',
    advice:
      'make SERVICE_NAME in the pod of the provisioner the name of its Service, and see that it may read services',
    command: 'kubectl -n $2 get service',
  },
  {
    about: 'service',
    pattern: /service SERVICE_NAME=([\w.-]+) is (?:not valid|valid but)/,
    meaning: 'its own Service $1, which its variable SERVICE_NAME names, does not lead to its pod alone',
    advice: 'see that the Service has an address, all the ports of the provisioner, and its pod as the only endpoint',
  },
  {
    about: 'shared',
    pattern:
      /(?:not|n't) (?:be )?(?:accessible|reachable|visible|shared) (?:to|from|by|on|among|between) (?:all|every|each)\b/i,
    meaning: 'the storage that the class names cannot be reached from all nodes',
    advice: 'name storage that all hosts share, or set the topology up',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern:
      /InvalidZone|InvalidAvailabilityZone|availability zone .{0,60}?(?:is |was )?(?:invalid|not valid|unknown|not found|(?:does|do) ?(?:not|n't) exist|could ?(?:not|n't) be found)/i,
    meaning: 'the storage has no such zone',
    advice:
      'give a zone that the storage has: in the class, or in the settings of the driver, which takes one of its own where the class names none',
  },
  {
    about: 'missing',
    pattern:
      /\bno (?:available|suitable|eligible|matching|valid|usable|compatible) (?:storage )?(?:backends?|pools?|hosts?|aggregates?)\b/i,
    meaning: 'no pool or backend of the storage fits what the class asks for',
    advice:
      'compare the parameters of the class, and the settings of the driver, with what the storage has and what of it is up',
  },
  {
    about: 'missing',
    pattern:
      /\b(?:pool|datastore|resource ?group|storage ?account|subnet|storage ?policy|volume ?type|file ?system|backend|availability ?zone|zone|vpc|network|share|aggregate|volume group|service|project|disk type)\b.{0,80}?(?:not found|(?:does|do|did) ?(?:not|n't) exist|could ?(?:not|n't) be found|no such)|(?:no such|(?:could not|couldn't|cannot|can't|unable to|failed to) find) .{0,40}\b(?:pool|datastore|resource ?group|storage ?account|subnet|policy|volume ?type|file ?system|backend|zone|volume group|service)\b|\bno (?:[\w-]+ ){0,2}(?:pools?|datastores?|resource ?groups?|storage ?accounts?|subnets?|polic(?:y|ies)|profiles?|volume ?types?|file ?systems?|backends?|volume groups?) (?:was |were |is |are )?found\b/i,
    meaning: 'something that the class or the driver is set up with does not exist on the storage side',
    advice: 'compare the parameters of the class, and the settings of the driver, with what the storage has',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern:
      /MissingParameter|parameter .{0,60}?(?:must be (?:specified|set|given|provided|present)|is (?:required|missing|mandatory)|not specified)|(?:missing|requires?|required) (?:an? |the )?(?:required |mandatory )?(?:storage ?class |class |volume )?parameters?\b/i,
    meaning: 'a parameter is missing that this kind of volume needs',
    advice: 'add the missing parameter to the class',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern:
      /InvalidParameter\w*|UnknownParameter|UnknownVolumeType|VolumeTypeNotFound|(?:invalid|unknown|unsupported|unrecogni[sz]ed|missing|illegal) (?:storage ?class |class |volume )?(?:parameters?|option|attribute|value for|disk type|sku|volume type)|parameter .{0,60}(?:must|is (?:required|missing|invalid|not)|not (?:valid|supported|recogni[sz]ed|specified))|bad ?request|SkuNotAvailable|not (?:a )?valid (?:value|parameter|type)/i,
    meaning: 'the storage refuses a parameter, or misses one',
  },
  {
    about: 'parameter',
    pattern: /no node was specified/i,
    meaning: 'it makes volumes on nodes and was told of none, since the class does not wait for a pod',
    advice: 'use a class with volumeBindingMode WaitForFirstConsumer',
  },
  {
    about: 'network',
    pattern:
      /i\/o timeout|no route to host|connection (?:refused|reset|timed out|error)|no such host|network is unreachable|dial (?:tcp|udp)|TLS handshake|x509:|server misbehaving|name resolution/i,
    meaning: 'the driver cannot reach the storage over the network',
    advice: 'check routes, firewalls and names between the driver controller and the storage',
  },
  {
    about: 'slow',
    pattern:
      /timed out|deadline exceeded|\btime-?out (?:waiting|while|expired|exceeded|reached|of)|\b(?:operation|request|command) time-?out\b/i,
    meaning: 'the storage did not answer the driver in time',
    advice: 'see whether the storage is healthy and whether the driver reaches it',
  },
];

export function senseOf(text: string): FoundSense | undefined {
  for (const { pattern, ...sense } of senses) {
    const match = pattern.exec(text);
    if (match) return { ...(match.length === 1 ? sense : fillIn(sense, match)), words: match[0] };
  }
  return undefined;
}

function fillIn(sense: Sense, match: RegExpExecArray): Sense {
  const fill = (words: string): string => words.replace(/\$(\d)/g, (_, index: string) => match[Number(index)] ?? '');
  return {
    ...sense,
    meaning: fill(sense.meaning),
    ...(sense.command !== undefined && { command: fill(sense.command) }),
  };
}
