/** The ways in which a message reaches a person, and then this program: each is a text that holds the message. */
type Form = (message: string) => string;

function oneLine(message: string): string {
  return message.replace(/\s*\n\s*/g, ' ');
}

/** A terminal that breaks lines at words. */
function wrap(message: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of message.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}

/** A terminal that breaks lines wherever they end. */
function breakHard(message: string, width: number): string {
  return message.match(new RegExp(`.{1,${width}}`, 'gs'))?.join('\n') ?? message;
}

const escape = (message: string): string => JSON.stringify(message).slice(1, -1);

export const forms: Readonly<Record<string, Form>> = {
  'kubectl describe': (message) =>
    `Events:\n  Type     Reason   Age                From      Message\n  ----     ------   ----               ----      -------\n  Normal   Pulled   9m                 kubelet   Container image "web:v9" already present on machine\n  Warning  Failed   3m (x5 over 10m)   operator  ${message.replace(/\n/g, '\n                                                 ')}`,
  'kubectl get events': (message) =>
    `LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n3m          Warning   Failed   pod/web-0   ${oneLine(message)}\n9m          Normal    Pulled   pod/web-0   Container image "web:v9" already present on machine`,
  'kubectl get events -o yaml': (message) =>
    `apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Event\n  message: ${wrap(`'${oneLine(message).replace(/'/g, "''")}'`, 76, '    ')}\n  metadata:\n    name: web-0.17a\n  reason: Failed\n  type: Warning`,
  'kubectl get -o json': (message) => JSON.stringify({ kind: 'Event', message, reason: 'Failed' }, null, 4),
  klog: (message) => `E1118 20:00:00.123456       1 controller.go:957] ${oneLine(message)}`,
  'klog with keys': (message) =>
    `E1118 20:00:00.123456       1 goroutine.go:42] "Request failed" logger="worker" err="${escape(message)}" duration="3s"`,
  'JSON log': (message) =>
    JSON.stringify({ level: 'error', ts: '2026-11-18T20:00:00Z', msg: 'request failed', error: message }),
  'zap console log': (message) =>
    `2026-11-18T20:00:00.000Z\tERROR\tworker\trequest failed\t{"object": "web-0", "error": "${escape(message)}"}`,
  logfmt: (message) => `time="2026-11-18T20:00:00Z" level=error msg="request failed" error="${escape(message)}"`,
  'JSON in JSON': (message) => JSON.stringify({ log: `${JSON.stringify({ error: message })}\n`, stream: 'stderr' }),
  'kubectl logs --prefix --timestamps': (message) =>
    `[pod/csi-0/driver] 2026-11-18T20:00:00.123456789Z ${oneLine(message)}`,
  colours: (message) => `\u001B[1;31m${message.replace(/ failed/g, ' \u001B[33mfailed\u001B[31m')}\u001B[0m`,
  'wrapped at words': (message) => wrap(oneLine(message), 72),
  'wrapped and indented': (message) => `    ${wrap(oneLine(message), 72, '    ')}`,
  'cut hard at 80 columns': (message) => breakHard(oneLine(message), 80),
  'cut at 1,024 characters': (message) => `${message} ${'and so on '.repeat(120)}`.slice(0, 1024),
  'Windows line ends': (message) => `The log:\r\n${message.replace(/\n/g, '\r\n')}\r\nEnd of the log.\r\n`,
  'smart quotes': (message) =>
    message
      .replace(/"([^"]*)"/g, '\u201C$1\u201D')
      .replace(/'([^']*)'/g, '\u2018$1\u2019')
      .replace(/'/g, '\u2019'),
  'German quotes': (message) => message.replace(/"([^"]*)"/g, '\u201E$1\u201C').replace(/'/g, '\u2019'),
  'French quotes': (message) => message.replace(/"([^"]*)"/g, '\u00AB\u00A0$1\u00A0\u00BB'),
  'non-breaking spaces': (message) => message.replace(/ /g, '\u00A0'),
  'HTML entities': (message) =>
    message
      .replace(/&/g, '&amp;')
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;'),
  'quoted in a mail': (message) => `Hi,\n\n> ${message.replace(/\n/g, '\n> ')}\n\nAny idea?`,
  'in backticks': (message) => `The pod says:\n\`\`\`\n${message}\n\`\`\`\nWhat does it mean?`,
  'in a German sentence': (message) =>
    `Der Pod startet nicht, Warnung vor 3 Minuten: ${oneLine(message)} – wer kann helfen?`,
  'a German table': (message) => `  Warnung  Fehler  vor 3m (x5 in 10m)  kubelet  ${oneLine(message)}`,
  'in a Japanese sentence': (message) => `ポッドが起動しません。エラー: ${oneLine(message)} 助けてください。`,
};
