/** What the guest asks its host for, by number. */
export const OPCODES = {
  CALL: 1,
  PRINT: 2,
  TIMER: 3,
  TIMER_CLEARED: 4,
  WRITE: 5,
  RANDOM: 6,
  URL_PARSE: 7,
  URL_CHANGE: 8,
  QUERY_PARSE: 9,
  QUERY_WRITE: 10,
  UTF8_ENCODE: 11,
  UTF8_DECODE: 12,
} as const;
