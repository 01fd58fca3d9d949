import type { z } from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** What a value is to be: in Chinese, and in English. */
const NOUN: Readonly<Record<string, readonly [string, string]>> = {
  int: ['整数', 'a whole number'],
  number: ['数字', 'a number'],
  string: ['文字', 'a text'],
  boolean: ['true 或 false', 'true or false'],
  array: ['数组', 'a list'],
  object: ['对象', 'an object'],
}

/**
 * What is wrong with a field of a request, Chinese first, where its schema has no words of its own. It names what is
 * wanted, never the pattern of a program.
 */
export function fieldText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return bound(issue, issue.minimum, 'least')
    case 'too_big':
      return bound(issue, issue.maximum, 'most')
    case 'unrecognized_keys': {
      const keys = issue.keys.map((key) => escaped(key.slice(0, KEY_SHOWN_MAX))).join(', ')
      return `没有这些字段：“${keys}” (unknown fields)`
    }
    default:
      return '格式不对，见 /docs (has not the right form; see /docs)'
  }
}

const KEY_SHOWN_MAX = 40
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

function wrongType({ expected, input }: Extract<Issue, { code: 'invalid_type' }>): string {
  if (input === undefined) return '必填 (is missing)'
  const [chinese, english] = NOUN[expected] ?? [expected, expected]
  return `须为${chinese} (must be ${english})`
}

function oneOf(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value)).join(', ')
  return `须为其中之一：${all} (must be one of ${all})`
}

function bound(
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  limit: number | bigint,
  side: 'least' | 'most',
): string {
  const { origin, inclusive } = issue
  const [atChinese, atEnglish] = side === 'least' ? ['至少', 'at least'] : ['最多', 'at most']
  if (origin === 'string') {
    return `${atChinese} ${limit} 个字符 (must have ${atEnglish} ${limit} characters)`
  }
  if (origin === 'array') {
    return `${atChinese} ${limit} 项 (must have ${atEnglish} ${limit} entries)`
  }
  if (inclusive !== false) {
    const chinese = side === 'least' ? '不小于' : '不大于'
    return `须${chinese} ${limit} (must be ${atEnglish} ${limit})`
  }
  const [chinese, english] = side === 'least' ? ['大于', 'above'] : ['小于', 'below']
  return `须${chinese} ${limit} (must be ${english} ${limit})`
}

const CHINESE = /[\u3400-\u9fff]/
/** What a schema says by itself, if only in English, as it is told. */
export const inTwo = (text: string): string => (CHINESE.test(text) ? text : `不符合要求 (${text})`)
