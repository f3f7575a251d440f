/** How a registry wants to be asked again, according to its `WWW-Authenticate` header. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'bearer'
      readonly realm: string
      readonly service?: string
      readonly scope?: string
    }

/** Returns the challenge that can be answered, bearer before basic; undefined if there is none. */
export function parseChallenge(header: string): Challenge | undefined {
  const parts = [...header.matchAll(part)]
  const bearer = parameters(parts, 'bearer')
  if (bearer?.realm !== undefined) {
    const { realm, service, scope } = bearer
    return {
      scheme: 'bearer',
      realm,
      ...(service === undefined ? {} : { service }),
      ...(scope === undefined ? {} : { scope }),
    }
  }
  return parameters(parts, 'basic') === undefined ? undefined : { scheme: 'basic' }
}

/** Either `key=value`, or a scheme by itself. */
const part = /(?<![\w-])(?:(?<key>[\w-]+)\s*=\s*(?:"(?<quoted>[^"]*)"|(?<bare>[^\s,"]+))|(?<scheme>[\w-]+))/g

function parameters(parts: readonly RegExpExecArray[], scheme: string): Record<string, string> | undefined {
  const start = parts.findIndex(({ groups }) => groups?.scheme?.toLowerCase() === scheme)
  if (start === -1) return undefined
  const rest = parts.slice(start + 1)
  const end = rest.findIndex(({ groups }) => groups?.scheme !== undefined)
  const own = end === -1 ? rest : rest.slice(0, end)
  return Object.fromEntries(
    own.map(({ groups }) => [(groups?.key ?? '').toLowerCase(), groups?.quoted ?? groups?.bare ?? '']),
  )
}
