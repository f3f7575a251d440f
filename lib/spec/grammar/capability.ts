import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a Linux capability, `NET_ADMIN` or `CAP_NET_ADMIN`, or `ALL`. Returns it without `CAP_`. */
export function parseCapability(text: string): Parsed<string> {
  const name = text.toUpperCase().replace(/^CAP_/, '')
  return capabilities.has(name)
    ? parsed(name)
    : malformed(`"${text}" is no capability; write for example NET_BIND_SERVICE`)
}

const capabilities = new Set(
  'ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG WAKE_ALARM'.split(
    ' ',
  ),
)
