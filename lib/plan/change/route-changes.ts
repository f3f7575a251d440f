import { claimOf, type Route } from '../../state/application/ingress/route.ts'
import { canonical } from '../../state/canonical.ts'
import { secondsText } from '../../text/time.ts'
import type { FieldChange } from '../compare/field/field-change.ts'

/** Returns route by route what the ingress is to do differently (G7). */
export function routeChanges(before: readonly Route[], after: readonly Route[]): readonly FieldChange[] {
  const [old, wanted] = [byClaim(before), byClaim(after)]
  const claims = [...new Set([...old.keys(), ...wanted.keys()])].sort()
  return claims.flatMap((claim): FieldChange[] => {
    const [from, to] = [old.get(claim), wanted.get(claim)]
    if (canonical(from) === canonical(to)) return []
    return [
      {
        path: `routes/${claim}`,
        ...(from === undefined ? {} : { from: routeText(from) }),
        ...(to === undefined ? {} : { to: routeText(to) }),
      },
    ]
  })
}

/** Returns `shop/web:8000, tls auto, strip`. */
export function routeText(route: Route): string {
  const { application, service, port, tls, alsoPlain, redirect, strip, headers, maxBodyBytes, timeoutMs } =
    route
  return [
    redirect === undefined ? `${application}/${service}:${port}` : `sent on to ${redirect}`,
    ...(tls === 'off' ? [] : [`tls ${tls}${alsoPlain ? ', and HTTP' : ''}`]),
    ...(strip ? ['strip'] : []),
    ...headersText('request', headers?.request),
    ...headersText('answer', headers?.response),
    ...(maxBodyBytes === undefined ? [] : [`bodies up to ${maxBodyBytes} bytes`]),
    ...(timeoutMs === undefined ? [] : [`timeout ${secondsText(timeoutMs)}`]),
    ...(route.statics === undefined ? [] : ['static files']),
    `hold ${secondsText(route.holdMs)}`,
  ].join(', ')
}

function headersText(of: string, headers: Readonly<Record<string, string | null>> = {}): readonly string[] {
  return Object.entries(headers).map(([name, value]) =>
    value === null ? `no ${of} header ${name}` : `${of} header ${name} "${value}"`,
  )
}

function byClaim(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(routes.map(route => [claimOf(route), route]))
}
