/**
 * A text without the credentials that stand in its URLs: `https://user:word@host` becomes `https://***@host`.
 * A last line of defence (G16): nobody may rely on it to print a secret. `ssh://git@host` has none and stays.
 */
export function maskCredentials(text: string): string {
  return text.replace(userInformation, '://***@')
}

/**
 * Everything between `://` and the last `@` of the host part. The second form finds a password with a slash that
 * should have been percent-encoded, and tells it from a port; its length is bounded to stay linear.
 */
const userInformation =
  /:\/\/(?!git@[^@]*(?:[\s/]|$))(?:[^\s/?#"'<>]{1,1000}|[^\s/?#@:"'<>]{0,200}:(?!\d{1,5}[/?#])[^\s"'<>]{0,400})@/g
