/** Marks a promise that is awaited later, so that its failure until then does not end the process. */
export function begin<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
