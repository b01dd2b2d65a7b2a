/** Something that is awaited later, or not at all where something else fails first. */
export function begin<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
