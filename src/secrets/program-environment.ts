/** What a program gets from the process's environment that is asked for a secret: what it needs to find itself, and no more. */

const basics = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
];

export function programEnvironment(): Record<string, string> {
  return pick((name) => basics.includes(name));
}

/** 1Password's own variables begin with OP_ (https://developer.1password.com/docs/cli/environment-variables). */
export function opEnvironment(): Record<string, string> {
  return pick((name) => basics.includes(name) || name.startsWith("OP_"));
}

function pick(isWanted: (name: string) => boolean): Record<string, string> {
  const found = Object.entries(process.env).filter(([name, value]) => value !== undefined && isWanted(name));
  return Object.fromEntries(found) as Record<string, string>;
}
