/**
 * The oldest servers of a cluster that are taken. In clusters of older ones two writers can win the same place of a
 * journal, or a server that fell behind is believed (docs/decisions/0044-a-cluster-is-a-journal-on-nats.md).
 */
export const SERVER_FLOOR = '2.14.5'
/** The line 2.12 has what is needed from here on; 2.13 never got it. */
const OLD_LINE_FLOOR = '2.12.15'

type Numbers = readonly [major: number, minor: number, patch: number]

interface Version {
  readonly numbers: Numbers
  /** `2.14.5-RC.1` comes before `2.14.5`. */
  readonly isPreview: boolean
}

/** Whether a server that says this version of itself may carry journals. What cannot be read may not. */
export function isServerTaken(said: string): boolean {
  const version = parseVersion(said)
  if (version === undefined) return false
  const [major, minor] = version.numbers
  return isFrom(version, major === 2 && minor === 12 ? OLD_LINE_FLOOR : SERVER_FLOOR)
}

/** What was found, where, and what to install instead. */
export const olderServerText = (server: string, version: string): string =>
  `集群服务器 ${server} 的 nats-server 版本为 “${version}”，低于要求：请安装 ${SERVER_FLOOR} 或更新版本（2.12 系列为 ${OLD_LINE_FLOOR} 或更新），全部服务器都要升级 ` +
  `(the server ${server} of the cluster is nats-server “${version}”, which is too old: install ${SERVER_FLOOR} or newer, or ${OLD_LINE_FLOOR} or newer of the line 2.12, on every server)`

function parseVersion(said: string): Version | undefined {
  const match = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})([-+].*)?$/.exec(said)
  if (match === null) return undefined
  const [, major, minor, patch, rest = ''] = match
  return { numbers: [Number(major), Number(minor), Number(patch)], isPreview: rest.startsWith('-') }
}

function isFrom(version: Version, floor: string): boolean {
  const least = floor.split('.').map(Number)
  for (const [index, number] of version.numbers.entries()) {
    const wanted = least[index] ?? 0
    if (number !== wanted) return number > wanted
  }
  return !version.isPreview
}
