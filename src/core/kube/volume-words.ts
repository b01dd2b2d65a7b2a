/** What programs write when a volume takes nothing any more, by strerror(3) and by name. */
export const fullTexts = /no space left on device|\bENOSPC\b|disk quota exceeded|\bEDQUOT\b/i;
export const readOnlyTexts = /read-only file ?system|\bEROFS\b/i;
export const brokenTexts =
  /input\/output error|\bEIO\b|stale (?:NFS )?file handle|\bESTALE\b|transport endpoint is not connected|structure needs cleaning/i;
