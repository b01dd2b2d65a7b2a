/** A list of values, with a word and a colon before it. */
export const listedChoicesText =
  /\b(?:known|available|supported|valid|allowed|existing|possible|permitted|accepted) (?:\w+ ){0,2}?(?:\w+)?(?::| are:?| is:?) ["'[]?([\w.-]+(?:["']?, ?["']?[\w.-]+)+(?:["']?,? (?:or|and) ["']?[\w.-]+)?)/i;

/** `expected a, b or c`. */
export const expectedChoicesText =
  /\bexpect(?:ed|s)?:? ["']?([\w.-]+(?:["']?, ?["']?[\w.-]+)*["']?,? or ["']?[\w.-]+)/i;

/** `must be one of gp2, gp3`, `supported values: [a b]`. */
export const oneOfChoicesText =
  /(?:one of|supported (?:\w+ ){0,5}(?:values|types|are)|valid (?:\w+ )?(?:values|types|are)|allowed (?:\w+ )?(?:values|types|are)|choose from)[^\w[({]*[[({]?([\w"'.-]+(?:(?:,? (?:or |and )?|, ?)[\w"'.-]+){0,15})/i;

/** The message of a JSON answer ends where its next field begins. */
export const nextFieldText = /",[^]*$/;

/** Things that storage systems speak of, and how parameters that name such a thing are called. */
export const thingsOfParameters: readonly (readonly [RegExp, RegExp])[] = [
  [/\bfile ?system\b/i, /^(?:fs|file_?system)_?(?:id|name)?$/i],
  [/\b(?:storage ?)?polic(?:y|ies)\b|\bprofiles?\b/i, /policy|profile/i],
  [
    /\b(?:disk|volume|storage|drive) ?(?:category|type|tier)s?\b|\btype of (?:\w+ )?(?:storage|volume|disk)\b|\bcategory\b|\bsku\b/i,
    /^(?:\w*type|sku_?name|category|tier)$/i,
  ],
  [/\bvolume ?group\b|\bvg\b/i, /vol(?:ume)?_?group|^vg/i],
  [/\bpools?\b/i, /pool/i],
  [/\barrays?\b|\bappliances?\b/i, /array|symid|systemid/i],
  [/\bstorage ?accounts?\b/i, /^storageaccount$/i],
  [/\bresource ?groups?\b/i, /resource_?group/i],
  [/\bsubnets?\b/i, /subnet/i],
  [/\bavailability ?zones?\b|\bzones?\b/i, /zone|^availability$/i],
  [/\bkms\b|\bencryption ?(?:key|set)\b|\bcustomer[- ]managed key\b/i, /kms|encryptionset/i],
  [/\bbacking ?image\b/i, /backing_?image$/i],
];
