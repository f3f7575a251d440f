import { type IngressConfig, readIngressConfig } from '../../../lib/config/ingress-config.ts'

/** `ingress` of tallyman.yaml with every default; fails with what is wrong with it. */
export function ingressConfig(written: object): IngressConfig {
  const ingress = readIngressConfig(written, (pointer, reason) => {
    throw new Error(`${pointer}: ${reason}`)
  })
  if (ingress === undefined) throw new Error('there is an ingress unless told')
  return ingress
}
