/** What a file is, told from its first bytes. */

/** Enough for every question of this file. */
export const SNIFFED_BYTES = 8192;

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The images that models can look at; undefined for everything else. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  if (starts(bytes, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts(bytes, "\xff\xd8\xff")) return "image/jpeg";
  if (starts(bytes, "GIF87a") || starts(bytes, "GIF89a")) return "image/gif";
  if (starts(bytes, "RIFF") && starts(bytes.subarray(8), "WEBP")) return "image/webp";
  return undefined;
}

export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0) || starts(bytes, "%PDF-");
}

const kinds: readonly [start: string, kind: string][] = [
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive, or a document made of one"],
  ["\x1f\x8b", "gzip data"],
  ["\x28\xb5\x2f\xfd", "zstd data"],
  ["\xfd7zXZ\0", "xz data"],
  ["BZh", "bzip2 data"],
  ["\x7fELF", "an ELF program or library"],
  ["MZ", "a Windows program or library"],
  ["\xcf\xfa\xed\xfe", "a Mach-O program or library"],
  ["\0asm", "a WebAssembly module"],
  ["SQLite format 3\0", "an SQLite database"],
  ["\x89PNG\r\n\x1a\n", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["RIFF", "a RIFF container (WebP, WAV, AVI)"],
  ["BM", "a BMP image"],
  ["OggS", "an Ogg container"],
  ["ID3", "an MP3 file"],
  ["\xff\xfe", "UTF-16 text"],
  ["\xfe\xff", "UTF-16 text"],
];

/** What a binary file is, in words. */
export function binaryKind(bytes: Uint8Array): string {
  return kinds.find(([start]) => starts(bytes, start))?.[1] ?? "binary data";
}

/** `start` has one character for each byte. */
function starts(bytes: Uint8Array, start: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, start.length)).toString("latin1") === start;
}
