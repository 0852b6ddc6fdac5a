"""Jolpica: Formula 1 seasons, championships and races. Everything only reads and costs nothing.

Source: github.com/jolpica/jolpica-f1, its documentation and its code. All values are texts, numbers
too. Without an account, which nobody can have yet, 4 requests a second and 500 an hour are allowed
for our address.
"""

from service.integrations.vendors.jolpica.races import ENDPOINTS as RACES
from service.integrations.vendors.jolpica.seasons import ENDPOINTS as SEASONS

ENDPOINTS = (*SEASONS, *RACES)
