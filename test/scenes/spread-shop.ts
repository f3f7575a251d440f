import type { Scene } from './scene.ts'

/** Commits an application of one service, of which there are three replicas, or as `mode` says; `more` is of its container. */
export function releaseShop(scene: Scene, tag: string, mode = 'replicas: 3', more = ''): Promise<string> {
  return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': `
name: shop
version: "${tag}"
services:
  - name: web
    ${mode}
    containers:
      - name: web
        image: ${scene.prefix}/web:${tag}${more}
`,
  })
}
