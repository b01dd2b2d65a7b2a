const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** A measured size to two or three digits: `4.9Gi`, `312Mi`. Sixteen digits would be unreadable. */
export function formatBytesRounded(bytes: number): string {
  let count = Math.max(0, bytes);
  let index = 0;
  while (count >= 1024 && index < units.length - 1) {
    count /= 1024;
    index += 1;
  }
  const text = count >= 10 || index === 0 ? String(Math.round(count)) : count.toFixed(1).replace(/\.0$/, '');
  return `${text}${units[index] ?? ''}`;
}
