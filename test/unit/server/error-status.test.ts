import { expect, test } from '@jest/globals';
import { errorResponseStatus } from '../../../src/server/requests/http-errors.ts';

test.each<[status: number, isExecuted: boolean, byDefault: number, deprecated: number, dropIn: number]>([
  [200, true, 200, 400, 400],
  [500, true, 500, 500, 400],
  [504, true, 504, 504, 400],
  [401, true, 401, 401, 401],
  [413, true, 413, 413, 413],
  [429, true, 429, 429, 429],
  [503, true, 503, 503, 503],
  [200, false, 200, 400, 400],
  [400, false, 400, 400, 400],
  [405, false, 405, 405, 405],
  [500, false, 500, 500, 500],
  [503, false, 503, 503, 503],
])(
  'an error of status %i (executed: %s) has status %i by default, %i with ERROR_STATUS and %i in drop-in mode',
  (status, isExecuted, byDefault, deprecated, dropIn) => {
    expect([
      errorResponseStatus({ errorStatus: 'default' }, status, isExecuted),
      errorResponseStatus({ errorStatus: 'eip1767' }, status, isExecuted),
      errorResponseStatus({ errorStatus: 'default', isDropIn: true }, status, isExecuted),
    ]).toEqual([byDefault, deprecated, dropIn]);
  },
);
