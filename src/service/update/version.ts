const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,64}))?$/

/** Whether a version comes after another; undefined when one of them is no version. */
export function isNewer(version: string, than: string): boolean | undefined {
  const [a, b] = [VERSION.exec(version), VERSION.exec(than)]
  if (a === null || b === null) return undefined
  for (const place of [1, 2, 3]) {
    const difference = Number(a[place]) - Number(b[place])
    if (difference !== 0) return difference > 0
  }
  const [preA = '', preB = ''] = [a[4], b[4]]
  // What comes before a release has something behind its number.
  if (preA === '' || preB === '') return preA === '' && preB !== ''
  return preA.localeCompare(preB, 'en', { numeric: true }) > 0
}

/** The sum of a file in a list as `sha256sum` writes it; undefined: it is not listed. */
export function sumIn(list: string, file: string): string | undefined {
  for (const line of list.split(/\r?\n/)) {
    const [, sum, name] = /^([0-9a-fA-F]{64})[ \t]+\*?(.+?)\s*$/.exec(line) ?? []
    if (name === file) return sum?.toLowerCase()
  }
  return undefined
}
