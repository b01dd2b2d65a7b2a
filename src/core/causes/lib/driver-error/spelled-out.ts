const nameOfWords = /\b(?:[A-Z][a-z]+){2,}\b|\b[a-z]+(?:_[a-z]+)+\b|\b[A-Z]+(?:_[A-Z]+)+\b/g;

/** The words of names such as `VolumeDeviceNotFound` and `NO_SUCH_DEVICE`; undefined for a text without any. */
export function spelledOut(text: string): string | undefined {
  const result = text.replace(nameOfWords, (name) =>
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase(),
  );
  return result === text ? undefined : result;
}
