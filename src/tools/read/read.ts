/** Read: the lines of a text file, numbered, or an image to look at. */
import { HaftError } from "../../base/errors.ts";
import type { SandboxAccess } from "../../core/sandbox.ts";
import { Tool } from "../../core/tool.ts";
import { ok } from "../../core/tool-result.ts";
import { statFile } from "../files/existing-file.ts";
import { binaryKind, type ImageType, imageType, looksBinary, SNIFFED_BYTES } from "../files/file-kind.ts";
import { SeenFiles } from "../files/seen-files.ts";
import { toolInput } from "../input/tool-input.ts";
import { bytesText } from "../text/sizes.ts";
import type { WindowLimits } from "./line-window.ts";
import { showLines, showLinesOfLargeFile } from "./read-lines.ts";

const MAX_LINES = 2000;
const MAX_BYTES = 50 * 1024;
const MAX_LINE_LENGTH = 2000;
const MAX_WHOLE_FILE = 50 * 1024 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;

interface ReadSent {
  path: string;
  offset?: number;
  limit?: number;
}

/** What Read gives for an image. The model is shown the image itself. */
export interface ReadImage {
  type: "image";
  mediaType: ImageType;
  /** base64 */
  data: string;
}

/**
 * Reads a file of the sandbox.
 *
 * - Text: lines as `number<TAB>text`, at most 2,000 lines, 50 KiB, and 2,000 characters of a line; a last line in
 *   brackets says what was left out and which offset goes on. CRLF is shown as LF, a BOM is not shown.
 * - PNG, JPEG, GIF, WebP (told by their bytes) up to 5 MiB: `{ type: "image", mediaType, data }`.
 *
 * Errors: `ENOENT` (with near names), `EISDIR`, `FILE_BINARY`, `FILE_TOO_LARGE`, `OFFSET_PAST_END`.
 */
export const Read = new Tool({
  name: "Read",
  description:
    "Read a file. Text comes as numbered lines (number, tab, text), at most 2000 lines or 50 KiB at once: use offset and limit for more. PNG, JPEG, GIF and WebP images are shown to you.",
  input: toolInput<ReadSent, { path: string; offset?: number; limit?: number }>(
    {
      path: { type: "string", description: "Absolute, or relative to the working directory" },
      offset: { type: "integer", minimum: 1, description: "First line, from 1" },
      limit: { type: "integer", minimum: 1, description: "Number of lines" },
    },
    ["path"],
    (fields) => ({ path: fields.filledText("path"), offset: fields.count("offset"), limit: fields.count("limit") }),
  ),
  readOnly: true,
  subject: ({ path }) => ({ files: [path] }),
  sandbox: true,
  async handler({ path, offset, limit }, { sandbox, abortSignal }) {
    const file = { path, ...(await statFile(sandbox, path)) };
    const limits: WindowLimits = {
      offset: offset ?? 1,
      lines: Math.min(limit ?? MAX_LINES, MAX_LINES),
      bytes: MAX_BYTES,
      lineLength: MAX_LINE_LENGTH,
    };
    if (file.size > MAX_WHOLE_FILE) {
      await refuseLargeFile(file, sandbox, offset !== undefined || limit !== undefined);
      SeenFiles.of(sandbox).remember(path, file, undefined);
      return showLinesOfLargeFile(file, sandbox, limits, abortSignal);
    }

    const content = await sandbox.readFile(path, { maxBytes: MAX_WHOLE_FILE, abortSignal });
    const mediaType = imageType(content);
    if (mediaType) return showImage(path, mediaType, content);
    if (looksBinary(content)) throw binaryFile(path, content, content.length);
    SeenFiles.of(sandbox).remember(path, file, content);
    return showLines({ path, size: content.length }, content, limits);
  },
});

async function refuseLargeFile(
  file: { path: string; size: number },
  sandbox: SandboxAccess,
  isPart: boolean,
): Promise<void> {
  const head = await sandbox.readFile(file.path, { offset: 0, length: SNIFFED_BYTES });
  const mediaType = imageType(head);
  if (mediaType) throw largeImage(file.path, mediaType, file.size);
  if (looksBinary(head)) throw binaryFile(file.path, head, file.size);
  if (isPart) return;
  throw new HaftError("FILE_TOO_LARGE", `${file.path} has ${bytesText(file.size)}, too much to be read at once`, {
    hint: "Read a part of it with offset and limit, or search it with Grep.",
  });
}

function showImage(path: string, mediaType: ImageType, content: Uint8Array) {
  if (content.length > MAX_IMAGE) throw largeImage(path, mediaType, content.length);
  const data = Buffer.from(content.buffer, content.byteOffset, content.length).toString("base64");
  const image: ReadImage = { type: "image", mediaType, data };
  const facts = `[${path}: ${mediaType}, ${bytesText(content.length)}]`;
  return ok(image, {
    content: [
      { type: "text", text: facts },
      { type: "image", data, mediaType },
    ],
  });
}

function largeImage(path: string, mediaType: ImageType, size: number): HaftError {
  return new HaftError(
    "FILE_TOO_LARGE",
    `${path} is an image (${mediaType}) of ${bytesText(size)}; images are shown up to ${bytesText(MAX_IMAGE)}`,
    {
      hint: "Make a smaller copy of it with a command, and read that.",
    },
  );
}

function binaryFile(path: string, bytes: Uint8Array, size: number): HaftError {
  return new HaftError("FILE_BINARY", `${path} is not text: it is ${binaryKind(bytes)} of ${bytesText(size)}`, {
    hint: "Look into it with a command that knows its format.",
  });
}
