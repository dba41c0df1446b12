/** The log's own words: a secret that is one of them must not make an entry unreadable. */

const keys = new Set(
  `type v seq at key text data mediaType role content message messages via mode sandbox kind summary from run model attempt
  durationMs usage input output error code hint then id name hash asked reason meta decision approve deny value signal assigns
  warnings status stopReason exit ending calls toolCallId toolName providerOptions finishReason files filename path before
  after upTo method limit waitMs what secrets action tool source names properties required items enum description inputSchema
  additionalProperties $haft instructions tools`.split(/\s+/),
);

/** Values of these keys, where they are one of the words below. */
const wordKeys = new Set([
  "type",
  "role",
  "via",
  "then",
  "reason",
  "status",
  "stopReason",
  "finishReason",
  "what",
  "action",
  "source",
  "mode",
  "kind",
  "method",
]);

const words = new Set(
  `run-start message model-start model-response model-error tool-call tool-pause decision tool-start tool-end timer state
  iteration-end compaction run-end secret text-delta reasoning-delta tool-input-delta tool-output retry text-reset
  text reasoning file image image-data tool-result content error-text json error-json user assistant tool system history prompt
  steer follow-up retry next-model compact fail approval snapshot in-doubt success error interrupted continued thinking think exit
  exit-rejected reminded refused aborted iterations budget model stop length content-filter tool-calls other unknown
  window overflow asked clear placeholders summary compactor dropped cleared resolve access env op static command provider tools code local virtual isolated function object string number integer boolean
  array null`.split(/\s+/),
);

/** With a key: the value of that key. Without: the key itself. */
export function isOfTheLog(key: string | undefined, text: string): boolean {
  return key === undefined ? keys.has(text) : wordKeys.has(key) && words.has(text);
}
