/** Returns a message without the site that it begins with, for places that name the site already. */
export function withoutSite(message: string, site: string): string {
  const place = `${site}: `
  return message.startsWith(place) ? message.slice(place.length) : message
}
