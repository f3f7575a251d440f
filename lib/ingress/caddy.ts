/**
 * How much a Caddy understands: `newer` are 2.11 and what comes after it, `older` all of version 2. What a newer one
 * does more: it counts requests by host, and leaves WebSockets open when it loads routes.
 */
export type Dialect = 'newer' | 'older'

/** A route as Caddy takes it; the first one whose handler answers ends the request. */
export type CaddyRoute = {
  /** Of the routes of one group only the first that matches is gone through. */
  readonly group?: string
  /** Any of them; absent: every request. */
  readonly match?: readonly Fields[]
  readonly handle: readonly Handler[]
}

export type Handler = Fields & { readonly handler: string }

type Fields = Readonly<Record<string, unknown>>

/** Goes through routes of its own, and on behind them where none of them answers. */
export function subroute(routes: readonly CaddyRoute[]): Handler {
  return { handler: 'subroute', routes }
}

/** Takes the text as it stands: Caddy puts something else in place of what is in braces, its files' content included. */
export function literally(text: string): string {
  return text.includes('{') ? text.replaceAll(/[{}]/g, '\\$&') : text
}

/**
 * Takes headers away whose names have an underscore: to many frameworks `X_Forwarded_Host` is the same variable as
 * `X-Forwarded-Host`, and the ingress sees to the latter only (P35). Browsers send none.
 */
export const withoutUnderscores: CaddyRoute = {
  handle: [{ handler: 'headers', request: { delete: ['*_*'] } }],
}

/** A short answer in plain text. */
export function says(status: number | string, words: string): Handler {
  return {
    handler: 'static_response',
    status_code: status,
    headers: { 'Content-Type': ['text/plain; charset=utf-8'] },
    body: `${words}\n`,
  }
}

/** The answer to a request that no route claims. */
export const notFound: CaddyRoute = { handle: [says(404, 'There is nothing at this address.')] }
