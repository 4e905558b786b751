#include <doctest/doctest.h>

#include <string_view>

#include "tests/operators/expression/rows.hpp"

using sluice::test::evaluate;

namespace {

struct Case {
  std::string_view expression;
  std::string_view value;
};

template <std::size_t N>
void check(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.expression);
    CHECK(evaluate(c.expression) == c.value);
  }
}

}  // namespace

TEST_CASE("literals are read as they are written") {
  check({{"1", "1"},
         {"-9223372036854775808", "-9223372036854775808"},
         {"9223372036854775807", "9223372036854775807"},
         {"2.5", "2.5"},
         {".5", "0.5"},
         {"1e3", "1000"},
         {"'it''s'", "'it's'"},
         {"''", "''"},
         {"true", "true"},
         {"FALSE", "false"},
         {"null", "null"},
         {"'caf\xc3\xa9'", "'caf\xc3\xa9'"}});
}

TEST_CASE("integer arithmetic is checked and cuts towards zero") {
  check({{"1 + 2 * 3 - 4", "3"},
         {"(1 + 2) * 3", "9"},
         {"7 / 2", "3"},
         {"-7 / 2", "-3"},
         {"7 % 3", "1"},
         {"-7 % 3", "-1"},
         {"7 % -3", "1"},
         {"-(3)", "-3"},
         {"- - 3", "3"},
         {"-9223372036854775808 % -1", "0"},
         {"9223372036854775807 + 1",
          "error: integer_overflow: 9223372036854775807 + 1 does not fit into an int64"},
         {"-9223372036854775808 - 1",
          "error: integer_overflow: -9223372036854775808 - 1 does not fit into an int64"},
         {"4611686018427387904 * 2",
          "error: integer_overflow: 4611686018427387904 * 2 does not fit into an int64"},
         {"-9223372036854775808 / -1",
          "error: integer_overflow: -9223372036854775808 / -1 does not fit into an int64"},
         {"-(-9223372036854775808)",
          "error: integer_overflow: -(-9223372036854775808) does not fit into an int64"},
         {"1 / 0", "error: division_by_zero: 1 / 0"},
         {"1 % 0", "error: division_by_zero: 1 % 0"},
         {"1 + null", "null"},
         {"null / 0", "null"}});
}

TEST_CASE("an integer beside a float becomes a float") {
  check({{"1 + 2.5", "3.5"},
         {"7 / 2.0", "3.5"},
         {"7.5 % 2", "1.5"},
         {"1 / 0.0", "error: division_by_zero: 1 / 0"},
         {"1 = 1.0", "true"},
         {"1e308 * 10", "inf"},
         {"-2.5", "-2.5"}});
}

TEST_CASE("comparisons know numbers, texts, truth and times") {
  check({{"1 < 2", "true"},
         {"2 <= 1", "false"},
         {"1 <> 2", "true"},
         {"1 != 1", "false"},
         {"'a' < 'b'", "true"},
         {"'a' >= 'ab'", "false"},
         {"false < true", "true"},
         {"1 = null", "null"},
         {"null = null", "null"},
         {"cast('nan' as float64) = cast('nan' as float64)", "true"},
         {"cast('nan' as float64) > 1e300", "true"},
         {"1.0 < cast('nan' as float64)", "true"},
         {"cast('nan' as float64) <= 1.0", "false"},
         {"-0.0 = 0.0", "true"},
         {"from_epoch_ms(0) = '1970-01-01T00:00:00Z'", "true"},
         {"'1970-01-02' > from_epoch_ms(0)", "true"},
         {"from_epoch_ms(0) in ('1970-01-01', '1971-01-01')", "true"},
         {"from_epoch_ms(0) between '1969-12-31' and '1970-01-02'", "true"}});
}

TEST_CASE("logic has three values") {
  check({{"true and null", "null"},
         {"false and null", "false"},
         {"null and false", "false"},
         {"null or true", "true"},
         {"null or false", "null"},
         {"not null", "null"},
         {"not true", "false"},
         {"not 1 = 2", "true"},
         {"true or false and false", "true"},
         {"null is null", "true"},
         {"1 is not null", "true"},
         {"1 = 2 is null", "false"},
         {"1 in (1, null)", "true"},
         {"2 in (1, null)", "null"},
         {"2 not in (1, 3)", "true"},
         {"2 not in (1, null)", "null"},
         {"null in (1)", "null"},
         {"2 between 1 and 3", "true"},
         {"2 not between 1 and 3", "false"},
         {"2 between null and 1", "false"},
         {"2 between 1 and null", "null"}});
}

TEST_CASE("lazy parts that are not reached raise nothing") {
  check({{"false and 1 / 0 = 1", "false"},
         {"true or 1 / 0 = 1", "true"},
         {"1 / 0 = 1 and false", "error: division_by_zero: 1 / 0"},
         {"null and 1 / 0 = 1", "error: division_by_zero: 1 / 0"},
         {"coalesce(null, 2, 1 / 0)", "2"},
         {"coalesce(null, 1 / 0)", "error: division_by_zero: 1 / 0"},
         {"case when true then 1 else 1 / 0 end", "1"},
         {"case when false then 1 / 0 end", "null"},
         {"case 2 when 1 then 'one' when 2 then 'two' else 'many' end", "'two'"},
         {"case null when null then 1 else 2 end", "2"},
         {"case when null then 1 else 2 end", "2"},
         {"case when true then 1 else 2.5 end", "1"},
         {"case when 1 / 0 is null then 1 end", "error: division_by_zero: 1 / 0"}});
}

TEST_CASE("casts convert or say why not") {
  check({{"cast('42' as int64)", "42"},
         {"cast(' +42 ' as int64)", "42"},
         {"cast('9223372036854775808' as int64)",
          "error: cast_failed: \"9223372036854775808\" cannot be cast to int64"},
         {"cast('' as int64)", "error: cast_failed: \"\" cannot be cast to int64"},
         {"cast('1.5' as int64)", "error: cast_failed: \"1.5\" cannot be cast to int64"},
         {"try_cast('x' as int64)", "null"},
         {"cast(2.5 as int64)", "3"},
         {"cast(-2.5 as int64)", "-3"},
         {"cast(2.4 as int64)", "2"},
         {"cast(9223372036854775808.0 as int64)",
          "error: cast_failed: 9.223372036854776e+18 cannot be cast to int64"},
         {"cast(-9223372036854775808.0 as int64)", "-9223372036854775808"},
         {"cast(cast('nan' as float64) as int64)", "error: cast_failed: nan cannot be cast to int64"},
         {"cast('1e3' as float64)", "1000"},
         {"cast('1e400' as float64)", "error: cast_failed: \"1e400\" cannot be cast to float64"},
         {"cast('Yes' as bool)", "true"},
         {"cast(0 as bool)", "false"},
         {"cast(true as int64)", "1"},
         {"cast(1.5 as string)", "'1.5'"},
         {"cast(100000.0 as string)", "'100000'"},
         {"cast('2015-05-17 10:00:00' as timestamp)", "2015-05-17T10:00:00Z"},
         {"cast(from_epoch_ms(1) as string)", "'1970-01-01T00:00:00.001Z'"},
         {"cast('{\"a\": 1}' as json)", "{\"a\": 1}"},
         {"try_cast('{\"a\": }' as json)", "null"},
         {"cast(json_get('{\"a\": 7}', '/a') as int64)", "7"},
         {"cast(json_get('{\"a\": \"7\"}', '/a') as int64)", "7"},
         {"cast(json_get('{\"a\": null}', '/a') as int64)", "null"},
         {"try_cast(json_get('{\"a\": []}', '/a') as int64)", "null"},
         {"cast(null as timestamp)", "null"},
         {"CAST(1 AS FLOAT64) / 4", "0.25"}});
}

TEST_CASE("mathematical functions") {
  check({{"abs(-3)", "3"},
         {"abs(-2.5)", "2.5"},
         {"abs(-9223372036854775808)",
          "error: integer_overflow: abs(-9223372036854775808) does not fit into an int64"},
         {"floor(-2.5)", "-3"},
         {"ceil(2.1)", "3"},
         {"floor(7)", "7"},
         {"round(2.5)", "3"},
         {"round(-2.5)", "-3"},
         {"round(2.675, 2)", "2.68"},
         {"round(1.005, 2)", "1.01"},
         {"round(-1.005, 2)", "-1.01"},
         {"round(0.5, 0)", "1"},
         {"round(1234.5, -2)", "1200"},
         {"round(1250, -2)", "1300"},
         {"round(7, 3)", "7"},
         {"round(9223372036854775807, -1)",
          "error: integer_overflow: round(9223372036854775807, -1) does not fit into an int64"},
         {"round(9.9999, 4)", "9.9999"},
         {"round(0.049, 1)", "0"},
         {"round(0.05, 1)", "0.1"},
         {"round(99.95, 1)", "100"},
         {"round(1e300, 5)", "1e+300"},
         {"round(123456789012.345, 2)", "123456789012.35"},
         {"round(5, -400)", "0"},
         {"sqrt(9)", "3"},
         {"sqrt(-1.0)", "error: bad_argument: sqrt(-1): the number is negative"},
         {"ln(1)", "0"},
         {"ln(0)", "error: bad_argument: ln(0): the number is not positive"},
         {"exp(0)", "1"},
         {"power(2, 10)", "1024"},
         {"power(-1, 0.5)", "error: bad_argument: power(-1, 0.5): a negative number has no fractional power"},
         {"power(0, -1)", "error: bad_argument: power(0, -1): zero has no negative power"},
         {"least(3, 1, null, 2)", "1"},
         {"greatest(3, 1.5)", "3"},
         {"greatest('a', 'b')", "'b'"},
         {"least(null, null)", "null"},
         {"nullif(1, 1)", "null"},
         {"nullif(1, 2)", "1"},
         {"nullif(1, null)", "1"},
         {"coalesce(null, 'x')", "'x'"}});
}

TEST_CASE("text functions count code points") {
  check({{"lower('ABC\xc3\x84')", "'abc\xc3\x84'"},
         {"upper('abc')", "'ABC'"},
         {"trim('  a b\t')", "'a b'"},
         {"length('caf\xc3\xa9')", "4"},
         {"length('\xff\xfe')", "2"},
         {"length('')", "0"},
         {"substr('caf\xc3\xa9s', 4)", "'\xc3\xa9s'"},
         {"substr('hello', 2, 3)", "'ell'"},
         {"substr('hello', 0, 2)", "'h'"},
         {"substr('hello', -5)", "'hello'"},
         {"substr('hello', 2, 9223372036854775807)", "'ello'"},
         {"substr('hello', 9)", "''"},
         {"substr('hello', 1, -1)", "error: bad_argument: substr: the length -1 is negative"},
         {"replace('aXbX', 'X', '--')", "'a--b--'"},
         {"replace('abc', '', 'x')", "'abc'"},
         {"split_part('a,b,c', ',', 2)", "'b'"},
         {"split_part('a,b,c', ',', -1)", "'c'"},
         {"split_part('a,b,c', ',', -3)", "'a'"},
         {"split_part('a,b,c', ',', 4)", "''"},
         {"split_part('a,b,c', ',', -4)", "''"},
         {"split_part('abc', '', 1)", "'abc'"},
         {"split_part('a', ',', 0)",
          "error: bad_argument: split_part: parts are counted from 1, or from -1 at the end"},
         {"starts_with('abc', 'ab')", "true"},
         {"ends_with('abc', 'ab')", "false"},
         {"contains('abc', 'b')", "true"},
         {"concat('a', null, 1, true)", "'a1true'"},
         {"'a' || 1 || 'b'", "'a1b'"},
         {"'a' || null", "null"},
         {"'a' || from_epoch_ms(0)", "'a1970-01-01T00:00:00Z'"}});
}

TEST_CASE("like knows % and _ and an escape") {
  check({{"'abc' like 'abc'", "true"},
         {"'abc' like 'a%'", "true"},
         {"'abc' like '%c'", "true"},
         {"'abc' like '%b%'", "true"},
         {"'abc' like 'b%'", "false"},
         {"'abc' like 'a_c'", "true"},
         {"'abc' like '%'", "true"},
         {"'' like '%'", "true"},
         {"'' like '_'", "false"},
         {"'caf\xc3\xa9' like 'caf_'", "true"},
         {"'a%c' like 'a\\%c'", "true"},
         {"'abc' like 'a\\%c'", "false"},
         {"'a%c' like 'a!%c' escape '!'", "true"},
         {"'a\\c' like 'a\\c' escape ''", "true"},
         {"'abcabc' like '%a%c'", "true"},
         {"'mississippi' like '%s%ip_i'", "true"},
         {"'abc' not like '%z%'", "true"},
         {"null like '%'", "null"}});
}

TEST_CASE("regular expressions search, and groups that took no part are null") {
  check({{"regexp_match('Failed password', 'pass')", "true"},
         {"regexp_match('abc', '^b')", "false"},
         {"regexp_extract('from 10.0.0.1 port 22', ' from ([0-9.]+) port ', 1)", "null"},
         {"regexp_extract('', '()(x*)', 2)", "''"},
         {"regexp_extract('', '(y)?(x*)', 1)", "null"},
         {"regexp_extract('x from 10.0.0.1 port 22', ' from ([0-9.]+) port ', 1)", "'10.0.0.1'"},
         {"regexp_extract('abc', 'b.')", "'bc'"},
         {"regexp_extract('b', '(a)|b', 1)", "null"},
         {"regexp_extract('abc', '(x*)', 1)", "''"},
         {"regexp_match(null, 'a')", "null"},
         {"regexp_match('a', null)", "null"}});
}

TEST_CASE("time functions work in UTC and floor towards the past") {
  check({{"epoch_ms(cast('1970-01-01T00:00:01.5' as timestamp))", "1500"},
         {"epoch_ms(cast('1969-12-31T23:59:59.9995' as timestamp))", "-1"},
         {"epoch_us(from_epoch_ms(-1))", "-1000"},
         {"from_epoch_ms(9223372036854775807)",
          "error: integer_overflow: from_epoch_ms: the time does not fit into a timestamp"},
         {"time_bucket('10s', cast('2015-05-17T10:05:37' as timestamp))", "2015-05-17T10:05:30Z"},
         {"time_bucket('1m', cast('1969-12-31T23:59:59' as timestamp))", "1969-12-31T23:59:00Z"},
         {"date_trunc('hour', cast('2015-05-17T10:05:37' as timestamp))", "2015-05-17T10:00:00Z"},
         {"date_trunc('week', cast('2015-05-17T10:05:37' as timestamp))", "2015-05-11T00:00:00Z"},
         {"date_trunc('month', cast('2015-05-17' as timestamp))", "2015-05-01T00:00:00Z"},
         {"date_trunc('quarter', cast('2015-06-17' as timestamp))", "2015-04-01T00:00:00Z"},
         {"date_trunc('Years', cast('1905-06-17' as timestamp))", "1905-01-01T00:00:00Z"},
         {"extract('hour', cast('2015-05-17T10:05:37' as timestamp))", "10"},
         {"extract(dow from cast('2015-05-17' as timestamp))", "0"},
         {"extract('isodow', cast('2015-05-17' as timestamp))", "7"},
         {"extract('doy', cast('2016-12-31' as timestamp))", "366"},
         {"extract('week', cast('2016-01-01' as timestamp))", "53"},
         {"extract('millisecond', cast('2016-01-01T00:00:02.5' as timestamp))", "2500"},
         {"extract('epoch', cast('1969-12-31T23:59:59.5' as timestamp))", "-1"},
         {"to_timestamp('17/May/2015:10:05:03 +0200', '%d/%b/%Y:%H:%M:%S %z')", "2015-05-17T08:05:03Z"},
         {"to_timestamp('x', '%Y')", "error: cast_failed: \"x\" is no time of the format \"%Y\""},
         {"to_timestamp('1331901000.000001', 'epoch_s')", "2012-03-16T12:30:00.000001Z"},
         {"format_timestamp(from_epoch_ms(0), '%Y/%m/%d %H:%M:%S.%f')", "'1970/01/01 00:00:00.000000'"},
         {"date_trunc(null, from_epoch_ms(0))", "null"}});
}

TEST_CASE("json is read by pointer, as it was written") {
  check(
      {{"json_get('{\"a\": {\"b\": [1, 1.10, 123456789012345678901]}}', '/a/b/1')", "1.10"},
       {"json_get('{\"a\": {\"b\": [1, 1.10, 123456789012345678901]}}', '/a/b/2')", "123456789012345678901"},
       {"json_get('{\"a\": {\"b\":  [1 , 2]}}', '/a/b')", "[1 , 2]"},
       {"json_get(' [1] ', '')", "[1]"},
       {"json_get('{\"a\": null}', '/a')", "null"},
       {"json_text('{\"a\": null}', '/a')", "null"},
       {"json_text('{\"a\": \"x\\n\\u00e9\\ud83d\\ude00\"}', '/a')", "'x\n\xc3\xa9\xf0\x9f\x98\x80'"},
       {"json_text('{\"a\": \"\\ud83d\"}', '/a')", "'\xef\xbf\xbd'"},
       {"json_text('{\"a\": \"plain\"}', '/a')", "'plain'"},
       {"json_text('{\"a\": 1.0}', '/a')", "'1.0'"},
       {"json_text('{\"a/b\": 1, \"m~n\": 2}', '/a~1b')", "'1'"},
       {"json_text('{\"a/b\": 1, \"m~n\": 2}', '/m~0n')", "'2'"},
       {"json_text('{\"\\u0061\": 1}', '/a')", "'1'"},
       {"json_text('{\"a\": 1, \"a\": 2}', '/a')", "'1'"},
       {"json_text('{\"\": 5}', '/')", "'5'"},
       {"json_text('[1]', '/01')", "null"},
       {"json_text('[1]', '/-')", "null"},
       {"json_text('[1]', '/7')", "null"},
       {"json_text('5', '/a')", "null"},
       {"json_get('{\"a\": 1,', '/a')", "error: bad_argument: json_get: \"{\"a\": 1,\" is not valid JSON"},
       {"json_get('[1] x', '/0')", "error: bad_argument: json_get: \"[1] x\" is not valid JSON"},
       {"json_get('', '')", "error: bad_argument: json_get: \"\" is not valid JSON"},
       {"json_get(null, '/a')", "null"}});
}

TEST_CASE("hash64 is the same for equal values and never null") {
  CHECK(evaluate("hash64(null)") != "null");
  CHECK(evaluate("hash64('a', 'b')") != evaluate("hash64('ab', '')"));
  CHECK(evaluate("hash64(-0.0)") == evaluate("hash64(0.0)"));
  CHECK(evaluate("hash64(1)") != evaluate("hash64(2)"));
}
