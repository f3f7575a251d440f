import { shellQuoted } from '../../text/shell-quoted.ts'
import { type NetworkAction, type NetworkProbes, type Probe, probeKinds } from './probe.ts'

/** A container of an instance, and the probes that its sandbox performs. */
export type Watched = { readonly container: string; readonly probes: NetworkProbes }

/**
 * Returns the main process of a sandbox, for the shell of busybox. It reaps children, ends at once on TERM, and
 * performs the probes, with one loop for each container. A file with the name of the container contains what is wrong
 * with it, one line for each reason. An empty file means that nothing is (A44, C50).
 */
export function sandboxScript(watched: readonly Watched[], hasVolumes = false): string {
  return [
    "trap 'exit 0' TERM INT",
    // Whatever users the containers run as, they can write to what they share.
    ...(hasVolumes ? ['chmod 0777 /volumes/*'] : []),
    ...(watched.length === 0 ? [] : [tools, ...watched.map(watching)]),
    'while :; do sleep 86400 & wait $!; done',
  ].join('\n')
}

/** The engine's health check of a sandbox. It prints what is wrong, and succeeds if nothing is. */
export const checkScript = `words=$(cat /run/state/*) && [ -z "$words" ] && exit 0
printf '%s\\n' "$words"
exit 1`

/**
 * With `-e`, nc starts a program for the connection, so that the server sees no half-closed connection. No redirect is
 * followed and no body is read. Only https needs wget. It runs in a group of its own, because it leaves a process
 * behind when it is killed. The time comes from the uptime, so that no process is needed to read it.
 */
const tools = `mkdir -p /run/state /run/new
now() { read -r now _ </proc/uptime; now=\${now%%.*}; }
tcp() {
  nc=$(timeout "$1" nc 127.0.0.1 "$2" -e true 2>&1) && return
  case $nc in *refused*) echo "port $2 refuses the connection";; *) echo "port $2 does not answer within $1 s";; esac
  return 1
}
status() {
  case $1 in
    *HTTP/*) code=\${1#*HTTP/}; code=\${code#* }; code=\${code%%[!0-9]*}; code=\${code%"\${code#???}"};;
    *refused*) echo "port $2 refuses the connection"; return 1;;
    *) echo "port $2 gives no answer within $3 s"; return 1;;
  esac
  case $code in 2??|3??) return;; esac
  echo "status $code"
  return 1
}
http() {
  line=$(timeout "$1" nc 127.0.0.1 "$2" -e sh -c 'printf "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nUser-Agent: tallyman\\r\\nAccept: */*\\r\\nConnection: close\\r\\n\\r\\n" "$0" "$1"; read -r line; echo "$line" >&2' "$3" "$4" 2>&1)
  status "$line" "$2" "$1"
}
https() {
  setsid wget -q -S -O /dev/null --no-check-certificate --header "Host: $4" "https://127.0.0.1:$2$3" >"/run/new/$name.https" 2>&1 &
  pid=$!
  { sleep "$1"; kill -9 "-$pid"; } >/dev/null 2>&1 &
  wait "$pid" 2>/dev/null
  kill "$!" 2>/dev/null
  kill -9 "-$pid" 2>/dev/null
  status "$(cat "/run/new/$name.https")" "$2" "$1"
}
add() { text="$text\${text:+
}$1"; }
report() {
  text=$restart
  [ -z "$startup_words" ] || add "$name: startup probe fails: $startup_words"
  [ -z "$readiness_words" ] || add "$name: readiness probe fails: $readiness_words"
  [ "$text" = "$told" ] && return
  told=$text
  { [ -z "$text" ] || echo "$text"; } >"/run/new/$name" && mv "/run/new/$name" "/run/state/$name"
}
ask() { restart="restart $name $(date +%s) $1: $2"; }
watch() {
  restart= told=-
  while :; do
    startup_words=\${startup:+not tried yet} readiness_words=\${readiness:+not tried yet}
    now; began=$now
    if [ -n "$startup" ]; then
      report
      sleep "$startup_delay"
      failed=0
      until words=$(try_startup); do
        failed=$((failed + 1)) startup_words=$words
        [ "$failed" -ge "$startup_failures" ] && ask startup "$words" && continue 2
        report
        sleep "$startup_period"
      done
      startup_words= restart=
      now; began=$now
    fi
    report
    live_at=$((began + liveness_delay)) ready_at=$((began + readiness_delay))
    live_failed=0 ready_failed=0 ready_good=0 was_ready=
    while [ -n "$liveness$readiness" ]; do
      now
      if [ -n "$liveness" ] && [ "$now" -ge "$live_at" ]; then
        live_at=$((now + liveness_period))
        if words=$(try_liveness); then live_failed=0 restart=
        else
          live_failed=$((live_failed + 1))
          [ "$live_failed" -ge "$liveness_failures" ] && ask liveness "$words" && continue 2
        fi
      fi
      if [ -n "$readiness" ] && [ "$now" -ge "$ready_at" ]; then
        ready_at=$((now + readiness_period))
        if words=$(try_readiness); then
          ready_failed=0 ready_good=$((ready_good + 1))
          [ "$ready_good" -ge "$readiness_successes" ] && readiness_words= was_ready=1
        else
          ready_good=0 ready_failed=$((ready_failed + 1))
          [ "$ready_failed" -ge "$readiness_failures" ] && was_ready=
          [ -n "$was_ready" ] || readiness_words=$words
        fi
      fi
      report
      next=\${liveness:+$live_at}
      if [ -n "$readiness" ]; then [ -z "$next" ] || [ "$ready_at" -lt "$next" ] && next=$ready_at; fi
      now
      [ "$next" -gt "$now" ] && sleep $((next - now))
    done
    sleep 86400
  done
}`

function watching({ container, probes }: Watched): string {
  const settings = probeKinds.map(kind => {
    const probe = probes[kind]
    return probe === undefined
      ? `${kind}= ${kind}_delay=0`
      : `${kind}=1 ${kind}_delay=${probe.delay} ${kind}_period=${probe.period} ` +
          `${kind}_failures=${probe.failures} ${kind}_successes=${probe.successes}`
  })
  const tries = probeKinds.flatMap(kind => {
    const probe = probes[kind]
    return probe === undefined ? [] : [`try_${kind}() { ${attempt(probe)}; }`]
  })
  return [
    `echo '${container}: not tried yet' >/run/state/${container}`,
    '(',
    `name=${container}`,
    ...settings,
    ...tries,
    'watch',
    ') &',
  ].join('\n')
}

function attempt({ action, timeout }: Probe<NetworkAction>): string {
  switch (action.kind) {
    case 'http':
      return `${action.scheme} ${timeout} ${action.port} ${shellQuoted(action.path)} ${shellQuoted(action.host)}`
    case 'tcp':
      return `tcp ${timeout} ${action.port}`
  }
}
