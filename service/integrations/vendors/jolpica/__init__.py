"""Jolpica: Formula 1 seasons, championships and races. All endpoints only read and are free.

Source: github.com/jolpica/jolpica-f1, its documentation and its code. All values are texts, even
numbers. Accounts do not exist yet. Without one, 4 requests a second and 500 an hour are allowed for
our address.
"""

from service.integrations.vendors.jolpica.races import ENDPOINTS as RACES
from service.integrations.vendors.jolpica.seasons import ENDPOINTS as SEASONS

ENDPOINTS = (*SEASONS, *RACES)
