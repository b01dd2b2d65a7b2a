import { describe, expect, it } from 'vitest';
import { tidyWords } from '../../../../../src/core/causes/lib/driver-error/tidy-words.ts';

describe('the frame around an error', () => {
  it.each([
    [
      'the call of the AWS SDK is shortened to service and action',
      "operation error EC2: AttachVolume, https response error StatusCode: 400, RequestID: 7a6c4a2e, api error InvalidVolume.NotFound: The volume 'vol-1' does not exist.",
      "EC2 AttachVolume: InvalidVolume.NotFound: The volume 'vol-1' does not exist.",
    ],
    [
      'the message of a rancher API, its fields in one order',
      'Bad response statusCode [500]. Status [500 Internal Server Error]. Body: [message=volume pvc-1 not scheduled, code=Server Error, detail=] from [http://backend:9500/v1/volumes/pvc-1]',
      'volume pvc-1 not scheduled',
    ],
    [
      'and in the other',
      'Bad response statusCode [500]. Status [500 Internal Server Error]. Body: [detail=, message=volume pvc-1 not scheduled, code=Server Error] from [http://backend:9500/v1/volumes/pvc-1]',
      'volume pvc-1 not scheduled',
    ],
    [
      'brackets whose beginning was cut off',
      'entry does not exist, Code: 13001)]',
      'entry does not exist, Code: 13001',
    ],
    ['brackets that belong to the text stay', 'pool is full (0 of 10 free)', 'pool is full (0 of 10 free)'],
    ['line ends inside JSON', '{"stderr":"first\\nsecond"}', 'first; second'],
    ['a path of Windows stays', 'open C:\\new\\file: denied', 'open C:\\new\\file: denied'],
  ])('%s', (_, text, tidy) => {
    expect(tidyWords(text)).toBe(tidy);
  });
});
