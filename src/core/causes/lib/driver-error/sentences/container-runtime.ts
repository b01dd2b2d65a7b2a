/** An event about an image. */
export const pullWords = /pull|image/i;

/** The registry refuses the pull. */
export const registryRefusedTexts =
  /\b401\b|\b403\b|unauthori[sz]ed|authentication|authorization|denied|no basic auth/i;

/** The node does not reach the registry. */
export const registryUnreachableTexts = /lookup |no such host|dial tcp|timeout|connection refused|x509|TLS/i;
