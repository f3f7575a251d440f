/**
 * Removes credentials from the URLs in a text: `https://user:word@host` becomes `https://***@host`. It is a last line
 * of defence (G16), and nobody may rely on it to print a secret. `ssh://deploy@host` has none and stays: a
 * name alone lets nobody in.
 */
export function maskCredentials(text: string): string {
  return text.replace(userInformation, '://***@')
}

/**
 * Everything between `://` and the last `@` of the host part. The second form finds a password with a slash that should
 * have been percent-encoded, and distinguishes it from a port. Its length is limited so that matching stays linear.
 */
const userInformation =
  /(?<!ssh(?=:\/\/[\w.-]{1,200}@[^\s/@"'<>]{0,300}(?:[\s/"'<>]|$))):\/\/(?!git@[^@]*(?:[\s/]|$))(?:[^\s/?#"'<>]{1,1000}|[^\s/?#@:"'<>]{0,200}:(?!\d{1,5}[/?#])[^\s"'<>]{0,400})@/g
