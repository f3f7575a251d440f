import type { AnyScene } from '../scene.ts'

/** Commits applications that publish a port each, or none. */
export function release(
  scene: AnyScene,
  ports: Readonly<Record<string, number | undefined>>,
): Promise<string> {
  const names = Object.keys(ports)
  const files = names.map(name => {
    const published = ports[name] === undefined ? '' : `, ports: ["127.0.0.1:${ports[name]}:80"]`
    const text = `name: ${name}\nservices:\n  - {name: ${name}, containers: [{name: app, image: app${published}}]}\n`
    return [`applications/${name}.yaml`, text] as const
  })
  const services = names.map(name => ({ name, containers: [{ dockerName: 'app', dockerTag: '1' }] }))
  return scene.commit({ services }, 'Move a port', Object.fromEntries(files))
}
