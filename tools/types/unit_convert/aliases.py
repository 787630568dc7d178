"""Names that pint does not have, each exactly what it is in pint's own names.

Left out because they have two meanings: 度 (angle, temperature, kilowatt hour), 月, 吨力, 品脱.
"""

from fractions import Fraction

type Exact = tuple[Fraction, dict[str, int]]  # so many of this product of pint's units

_TABLE = """
degree_Celsius = 摄氏度 deg_c °_C degree_celsius degrees_celsius degrees_c
degree_Fahrenheit = 华氏度 deg_f °_F degree_fahrenheit degrees_fahrenheit degrees_f
kelvin = 开尔文 °K
meter = 米 公尺
kilometer = 公里 千米
decimeter = 分米
centimeter = 厘米 公分
millimeter = 毫米
micrometer = 微米
nanometer = 纳米
mile = 英里
foot = 英尺
inch = 英寸
yard = 码
nautical_mile = 海里 nmi
light_year = 光年
kilogram = 公斤 千克
gram = 克
milligram = 毫克
microgram = 微克
metric_ton = 吨 公吨
pound = 磅
ounce = 盎司
carat = 克拉
hectare = 公顷
acre = 英亩
square_foot = sqft
liter = 升 公升
milliliter = 毫升
gallon = 加仑
fluid_ounce = fl_oz
second = 秒
millisecond = 毫秒
microsecond = 微秒
minute = 分钟
hour = 小时
day = 天 日
week = 周 星期
kilometer_per_hour = kmh
knot = 节 kn
newton = 牛 牛顿
pascal = 帕 帕斯卡
kilopascal = 千帕
megapascal = 兆帕
standard_atmosphere = 大气压
joule = 焦 焦耳
kilojoule = 千焦
calorie = 卡
kilocalorie = 千卡 大卡
watt = 瓦
kilowatt = 千瓦
kilowatt_hour = 千瓦时
metric_horsepower = 马力
volt = 伏
ampere = 安
ohm = 欧姆
hertz = 赫兹
radian = 弧度
bit = 比特
byte = 字节
"""

SAME: dict[str, str] = {
    alias: name
    for name, _equals, aliases in (line.partition(" = ") for line in _TABLE.split("\n"))
    for alias in aliases.split()
}

_ONE = Fraction(1)
_JIN: Exact = Fraction(1, 2), {"kilogram": 1}
_LI: Exact = Fraction(500), {"meter": 1}
_CHI: Exact = Fraction(1, 3), {"meter": 1}
_MU: Exact = Fraction(2000, 3), {"meter": 2}
_SQUARE_METER: Exact = _ONE, {"meter": 2}

EXACT: dict[str, Exact] = {
    "mpg": (_ONE, {"mile": 1, "gallon": -1}),
    "斤": _JIN,
    "市斤": _JIN,
    "两": (Fraction(50), {"gram": 1}),
    "钱": (Fraction(5), {"gram": 1}),
    "担": (Fraction(50), {"kilogram": 1}),
    "里": _LI,
    "市里": _LI,
    "丈": (Fraction(10, 3), {"meter": 1}),
    "尺": _CHI,
    "市尺": _CHI,
    "寸": (Fraction(1, 30), {"meter": 1}),
    "亩": _MU,
    "市亩": _MU,
    "平方米": _SQUARE_METER,
    "sqm": _SQUARE_METER,
}
