"""Where people say they are, and the IANA zone that means; what is not here is asked for."""

from functools import cache
from zoneinfo import available_timezones

from agents.model_clients.rules.text import folded

_PLACES = """
UTC: utc, gmt, z, greenwich, zulu, 协调世界时, 世界标准时间, 格林威治, 格林尼治
Europe/London: london, uk, england, britain, great britain, united kingdom, 伦敦, 英国
Europe/Dublin: dublin, ireland, 都柏林, 爱尔兰
Europe/Lisbon: lisbon, portugal, 里斯本, 葡萄牙
Europe/Madrid: madrid, spain, barcelona, 马德里, 西班牙, 巴塞罗那
Europe/Paris: paris, france, 巴黎, 法国
Europe/Brussels: brussels, belgium, 布鲁塞尔, 比利时
Europe/Amsterdam: amsterdam, netherlands, holland, 阿姆斯特丹, 荷兰
Europe/Berlin: berlin, germany, munich, hamburg, frankfurt, cologne, 柏林, 德国, 慕尼黑, 法兰克福
Europe/Zurich: zurich, zürich, switzerland, geneva, bern, 苏黎世, 瑞士, 日内瓦
Europe/Vienna: vienna, austria, 维也纳, 奥地利
Europe/Rome: rome, italy, milan, 罗马, 意大利, 米兰
Europe/Copenhagen: copenhagen, denmark, 哥本哈根, 丹麦
Europe/Stockholm: stockholm, sweden, 斯德哥尔摩, 瑞典
Europe/Oslo: oslo, norway, 奥斯陆, 挪威
Europe/Helsinki: helsinki, finland, 赫尔辛基, 芬兰
Europe/Warsaw: warsaw, poland, 华沙, 波兰
Europe/Prague: prague, 布拉格, 捷克
Europe/Budapest: budapest, hungary, 布达佩斯, 匈牙利
Europe/Athens: athens, greece, 雅典, 希腊
Europe/Kyiv: kyiv, kiev, ukraine, 基辅, 乌克兰
Europe/Istanbul: istanbul, turkey, ankara, 伊斯坦布尔, 土耳其
Europe/Moscow: moscow, 莫斯科
Africa/Cairo: cairo, egypt, 开罗, 埃及
Africa/Casablanca: casablanca, morocco, 卡萨布兰卡, 摩洛哥
Africa/Lagos: lagos, nigeria, 拉各斯, 尼日利亚
Africa/Nairobi: nairobi, kenya, 内罗毕, 肯尼亚
Africa/Johannesburg: johannesburg, cape town, south africa, 约翰内斯堡, 开普敦, 南非
Asia/Jerusalem: jerusalem, tel aviv, israel, 耶路撒冷, 特拉维夫, 以色列
Asia/Riyadh: riyadh, saudi arabia, 利雅得, 沙特
Asia/Dubai: dubai, abu dhabi, uae, 迪拜, 阿联酋
Asia/Tehran: tehran, iran, 德黑兰, 伊朗
Asia/Karachi: karachi, lahore, pakistan, 卡拉奇, 巴基斯坦
Asia/Kolkata: delhi, new delhi, mumbai, kolkata, bangalore, india, 新德里, 德里, 孟买, 印度
Asia/Kathmandu: kathmandu, nepal, 加德满都, 尼泊尔
Asia/Dhaka: dhaka, bangladesh, 达卡, 孟加拉
Asia/Bangkok: bangkok, thailand, 曼谷, 泰国
Asia/Ho_Chi_Minh: hanoi, saigon, ho chi minh city, vietnam, 河内, 胡志明市, 越南
Asia/Jakarta: jakarta, 雅加达
Asia/Kuala_Lumpur: kuala lumpur, malaysia, 吉隆坡, 马来西亚
Asia/Singapore: singapore, 新加坡
Asia/Manila: manila, philippines, 马尼拉, 菲律宾
Asia/Hong_Kong: hong kong, hongkong, 香港
Asia/Macau: macau, macao, 澳门
Asia/Taipei: taipei, taiwan, 台北, 台湾
Asia/Shanghai: shanghai, beijing, shenzhen, guangzhou, china, hangzhou, chengdu
Asia/Shanghai: 上海, 北京, 深圳, 广州, 中国, 杭州, 成都, 国内
Asia/Seoul: seoul, korea, south korea, 首尔, 韩国
Asia/Tokyo: tokyo, osaka, kyoto, japan, 东京, 大阪, 京都, 日本
Australia/Perth: perth, 珀斯
Australia/Brisbane: brisbane, 布里斯班
Australia/Sydney: sydney, canberra, 悉尼, 堪培拉
Australia/Melbourne: melbourne, 墨尔本
Pacific/Auckland: auckland, wellington, new zealand, 奥克兰, 惠灵顿, 新西兰
Pacific/Honolulu: honolulu, hawaii, 檀香山, 夏威夷
America/Anchorage: anchorage, alaska, 安克雷奇, 阿拉斯加
America/Vancouver: vancouver, 温哥华
America/Los_Angeles: los angeles, la, san francisco, seattle, san diego, silicon valley, california
America/Los_Angeles: 洛杉矶, 旧金山, 西雅图, 硅谷, 加州, 加利福尼亚
America/Phoenix: phoenix, arizona, 凤凰城
America/Denver: denver, 丹佛
America/Chicago: chicago, houston, dallas, austin, 芝加哥, 休斯敦, 休斯顿, 达拉斯
America/Mexico_City: mexico city, 墨西哥城
America/Toronto: toronto, ottawa, montreal, 多伦多, 渥太华, 蒙特利尔
America/New_York: new york, new york city, nyc, boston, washington, washington dc, miami, atlanta
America/New_York: 纽约, 波士顿, 华盛顿, 迈阿密, 亚特兰大
America/Bogota: bogota, bogotá, colombia, 波哥大, 哥伦比亚
America/Lima: lima, peru, 利马, 秘鲁
America/Santiago: santiago, chile, 圣地亚哥, 智利
America/Sao_Paulo: sao paulo, são paulo, rio de janeiro, rio, 圣保罗, 里约热内卢, 里约
America/Argentina/Buenos_Aires: buenos aires, argentina, 布宜诺斯艾利斯, 阿根廷
"""


@cache
def _zones() -> dict[str, str]:
    zones = {name.casefold(): name for name in available_timezones()}
    for line in _PLACES.strip().splitlines():
        zone, places = line.split(": ")
        zones.update({place.strip(): zone for place in places.split(",")})
    return zones


def find_zone(place: str) -> str | None:
    """The IANA zone of a city, a country with one zone, or a zone's own name."""
    return _zones().get(folded(place).removeprefix("the ").replace(" time", ""))
