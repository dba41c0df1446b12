/** Sizes and times, as a model reads them. */

export function bytesText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${rounded(bytes / 1024)} KiB`;
  if (bytes < 1024 ** 3) return `${rounded(bytes / 1024 ** 2)} MiB`;
  return `${rounded(bytes / 1024 ** 3)} GiB`;
}

export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function rounded(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}
