/** The link that carries the command, in the part of the address that no server sees. */

const KEY = "command";

/** The command in the address; null if there is none. */
export function linked(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(KEY);
}

/** Put the command into the address. */
export function setLink(command: string): void {
  history.replaceState(null, "", command ? `#${new URLSearchParams({ [KEY]: command })}` : location.pathname);
}

/** Copy the address; gives what to tell the user. */
export async function copyLink(): Promise<string> {
  try {
    await navigator.clipboard.writeText(location.href);
    return "Copied";
  } catch {
    return "Copy the address of the page"; // no clipboard without a secure context
  }
}
