/**
 * What stands before the status of an HTTP answer: `HTTP/1.1 401`, `=> 507`, `"status":409`, `status code: 503`,
 * `returned 423`.
 */
const before = String.raw`(?:\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S{1,200}?:? (?:[=-]> ?)?|\bHTTP(?:/\d(?:\.\d)?)?(?: (?:error|code|status))?[ :=]+|[=-]> ?(?:HTTP/\d\.\d )?|\b(?:http_?)?(?:status(?:[ _]?code)?|statusCode|response code|error code)['"]?(?: is| was)?[ :='"]+|\b(?:returned|replied(?: with)?|responded(?: with)?|answered(?: with)?|got|gave|said|says|sent) (?:HTTP )?(?:status )?)`;

/** The phrases that belong to the codes (RFC 9110), where only these are left of the answer. */
const phrases: Readonly<Record<string, string>> = {
  '401': 'Unauthorized',
  '402': 'Payment Required',
  '403': 'Forbidden',
  '404': 'Not Found',
  '409': 'Conflict',
  '422': 'Unprocessable (?:Entity|Content)',
  '423': 'Locked',
  '429': 'Too Many Requests',
  '502': 'Bad Gateway',
  '503': 'Service (?:Temporarily )?Unavailable',
  '504': 'Gateway Time-?out',
  '507': 'Insufficient Storage',
};

/** An answer with one of these codes, however the client writes it. */
export function httpStatus(...codes: readonly number[]): RegExp {
  const written = codes.map((code) => `${code} ${phrases[String(code)] ?? ''}`).filter((words) => !words.endsWith(' '));
  return new RegExp(`${before}(?:${codes.join('|')})\\b(?!\\.\\d)|\\b(?:${written.join('|')})\\b`, 'i');
}

/** The numbers alone: the storage calls the request wrong, or does not know what it names. */
export const refusedRequestStatus = /\b(?:400|404|422)\b/;
