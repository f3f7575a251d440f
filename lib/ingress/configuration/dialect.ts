/**
 * What a Caddy understands: `newer` is 2.11 and later, `older` all of version 2 before. A newer one also counts
 * requests by host, and leaves WebSockets open when it loads routes.
 */
export type Dialect = 'newer' | 'older'

/** A route in Caddy's form. The first route whose handler answers ends the request. */
export type CaddyRoute = {
  /** Of the routes of one group, only the first that matches is used. */
  readonly group?: string
  /** Matches a request to any of them; absent: every request. */
  readonly match?: readonly Fields[]
  readonly handle: readonly Handler[]
}

export type Handler = Fields & { readonly handler: string }

type Fields = Readonly<Record<string, unknown>>

/** Tries the given routes first, and then continues with the routes after it. */
export function subroute(routes: readonly CaddyRoute[]): Handler {
  return { handler: 'subroute', routes }
}

/** Escapes braces: Caddy replaces what is in braces, for example by the content of files. */
export function literally(text: string): string {
  return text.includes('{') ? text.replaceAll(/[{}]/g, '\\$&') : text
}

/**
 * Removes headers whose names contain an underscore: many frameworks treat `X_Forwarded_Host` like `X-Forwarded-Host`,
 * and the ingress sets only the latter (P35). Browsers send no such headers.
 */
export const withoutUnderscores: CaddyRoute = {
  handle: [{ handler: 'headers', request: { delete: ['*_*'] } }],
}

/** Returns a short answer in plain text. */
export function says(status: number | string, words: string): Handler {
  return {
    handler: 'static_response',
    status_code: status,
    headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
    body: `${words}\n`,
  }
}

/** The answer to a request that matches no route. */
export const notFound: CaddyRoute = { handle: [says(404, 'There is nothing at this address.')] }
