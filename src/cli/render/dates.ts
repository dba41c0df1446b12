/** Days and times of the local clock, in digits. */

/** 2026-12-01. */
export function dayOf(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** 03:29:01. */
export function timeOf(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
