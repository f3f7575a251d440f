import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { type CaddyRoute, type Handler, literally, notFound, says } from './dialect.ts'
import { type Back, handBack } from './hand-back.ts'
import { byHost } from './hosts.ts'

/**
 * Returns the answers for requests that no application answered; answers of applications are never changed. If no
 * instance took the request, it is 503, with the time to try again. If an instance took it and is too slow, it is 504,
 * because what was asked for may have been done.
 */
export function withoutAnswer(
  { unavailablePage = usualPage, trustedProxies }: IngressSettings,
  secure: readonly Route[],
  at: Omit<Back, 'otherwise'>,
): readonly CaddyRoute[] {
  const unavailable = page(503, unavailablePage, { 'Retry-After': ['5'] })
  return [
    ...misdirected(secure),
    ...handBack({ ...at, otherwise: unavailable }, { trustedProxies }),
    { match: [tooLarge], handle: [says(413, 'The request has a larger body than is taken here.')] },
    { match: [status('502', '503')], handle: [unavailable] },
    { match: [status('504')], handle: [page(504, unavailablePage, {})] },
    { handle: [says('{http.error.status_code}', '{http.error.status_text}')] },
  ]
}

/** For a host with routes, browsers repeat the request on a new connection. Any other host is not found. */
function misdirected(secure: readonly Route[]): readonly CaddyRoute[] {
  const hosts = byHost(secure).flatMap(({ host }) => host ?? [])
  return hosts.length === 0 ? [] : [{ match: [{ ...status('421'), not: [{ host: hosts }] }], ...notFound }]
}

/** Caddy reports a body that it stopped sending as a fault of the application. */
const tooLarge = { vars_regexp: { '{http.error.message}': { pattern: 'request body too large' } } }

function status(...codes: readonly string[]): Readonly<Record<string, unknown>> {
  return { vars: { '{http.error.status_code}': codes } }
}

function page(code: number, html: string, headers: Readonly<Record<string, readonly string[]>>): Handler {
  return {
    handler: 'static_response',
    status_code: code,
    headers: { 'Content-Type': ['text/html; charset=utf-8'], 'Cache-Control': ['no-store'], ...headers },
    body: literally(html),
  }
}

const usualPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not available</title>
<style>body { font: 1.1em/1.6 sans-serif; max-width: 32em; margin: 20vh auto; padding: 0 1em }</style>
<h1>Not available right now</h1>
<p>Nobody can answer at this moment. Please try again in a few seconds.</p>
</html>
`
