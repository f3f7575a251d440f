import { type Layer, type PushedImage, pushImage } from './images.ts'
import { programLayer } from './program-layer.ts'
import type { RegistryAddress } from './registry.ts'

const once: { nginx?: Promise<Layer> } = {}

/** Pushes an image with Debian's nginx beside busybox; `http` is what stands in that block of its configuration. */
export async function pushNginx(
  registry: RegistryAddress,
  name: string,
  tag: string,
  http: string,
): Promise<PushedImage> {
  once.nginx ??= programLayer('/usr/sbin/nginx', '/usr/sbin/nginx')
  const configuration = `
daemon off;
user root;
worker_processes auto;
pid /tmp/nginx/pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
${http}
}
`
  return pushImage(registry, name, tag, {
    layers: [await once.nginx],
    files: { '/etc/nginx.conf': configuration },
    entrypoint: [
      'sh',
      '-c',
      'mkdir -p /tmp/nginx && exec /usr/sbin/nginx -p /tmp/nginx -e stderr -c /etc/nginx.conf',
    ],
  })
}
